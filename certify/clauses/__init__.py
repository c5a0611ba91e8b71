"""Catalogues of requirements as data, and the checks that answer them."""

from certify.clauses.catalogue import (
    CATALOGUES,
    NOT_KNOWN,
    catalogue_bytes,
    load_catalogue,
    parse_catalogue,
    read_catalogue,
    references,
)
from certify.clauses.jurisdiction import (
    DEFAULT,
    Jurisdiction,
    Regime,
    jurisdictions,
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
