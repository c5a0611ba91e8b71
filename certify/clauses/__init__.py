"""Catalogues of requirements as data, and the checks that answer them."""

from certify.clauses.catalogue import (
    CATALOGUES,
    DEFAULT,
    NOT_KNOWN,
    Jurisdiction,
    Regime,
    catalogue_bytes,
    jurisdictions,
    load_catalogue,
    read_catalogue,
    references,
    regime_of,
)
from certify.clauses.own import (
    parse_own,
    read_own,
)
from certify.clauses.registry import (
    Answer,
    Check,
    Difference,
    ExactResults,
    LegAgreement,
    PlannedCampaign,
    PlayThrough,
    Results,
    RngFacts,
    on_item,
    planned,
)
from certify.clauses.status import (
    LOWERED,
    applicabilities,
    clause_statuses,
    clauses_about,
)
