"""Reading a submission: TOML to nouns, every mistake with its file and line, all at once."""

from certify.submission.build import SubmittedRules, printed_share
from certify.submission.equipment import equipment_named
from certify.submission.from_sheet import Written, read_blocks, written
from certify.submission.locate import LineIndex, index_lines, located_form, located_toml
from certify.submission.reader import (
    PUSH,
    Parsed,
    parse_game,
    parse_submission,
    read_game,
    row_never_reached,
    submission_bytes,
)
from certify.submission.schema import SCHEMA, Submitted, SubmittedOutcomeRow, form_with, game_schema
