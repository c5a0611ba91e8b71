"""Play-through of rounds in volume: an independent leg next to the exact enumeration."""

from certify.simulation.campaign import CHUNK_ROUNDS, PlayChunk, again_of, chunks_of, run_campaign
from certify.simulation.decks import PURPOSE, StreamDecks
from certify.simulation.evidence import campaign_again, campaign_evidence, covariance, figures_again
from certify.simulation.inference import (
    CountedWager,
    _cells,
    _judged,
    _mean,
    _wrong_totals,
    compare,
    compare_again,
    compare_all,
)
from certify.simulation.statistical_tests import (
    DETECTED,
    SURE,
    Margin,
    ShownEffect,
    chi_square,
    equivalence_test,
    holm,
    margin_of,
    mean_test,
    rounds_needed,
    shown_effects,
)
from certify.simulation.store import Campaign, CampaignTally, ChunkResult, ChunkStore, PlayedPoint, log_spaced
from certify.simulation.volume import (
    ReferenceVolume,
    TableCounter,
    has_own_volume,
    independent_code,
    play_rows,
    shared_code,
    volume_of,
)
