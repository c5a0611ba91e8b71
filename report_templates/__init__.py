"""Jinja templates, stylesheet and fonts of the report, packaged as data."""
