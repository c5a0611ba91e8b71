"""``python -m certify``: the command line."""

from certify.cli.main import entry

if __name__ == "__main__":
    entry()
