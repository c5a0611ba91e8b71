"""Play-through of rounds in volume: an independent leg next to the exact enumeration."""

from certify.simulation.campaign import run_campaign
from certify.simulation.decks import RoundSource, StreamDecks
from certify.simulation.evidence import campaign_evidence
from certify.simulation.inference import compare, compare_all
from certify.simulation.store import Campaign
from certify.simulation.volume import independent_code, shared_code, volume_of

__all__ = [
    "Campaign",
    "RoundSource",
    "StreamDecks",
    "campaign_evidence",
    "compare",
    "compare_all",
    "independent_code",
    "run_campaign",
    "shared_code",
    "volume_of",
]
