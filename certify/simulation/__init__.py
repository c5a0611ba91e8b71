"""Play-through of rounds in volume: an independent leg beside the exact enumeration."""

from certify.families.open_card.volume.twin import open_card_agreement
from certify.families.sette_e_mezzo.volume.outcomes import SHARED_CODE, independent_code
from certify.simulation.agreement import LegAgreement, agreement, compare_legs
from certify.simulation.campaign import run_campaign
from certify.simulation.decks import DeckSource, StreamDecks
from certify.simulation.evidence import campaign_json
from certify.simulation.inference import WagerAgreement, compare, compare_all
from certify.simulation.tally import Campaign

__all__ = [
    "SHARED_CODE",
    "Campaign",
    "DeckSource",
    "LegAgreement",
    "StreamDecks",
    "WagerAgreement",
    "agreement",
    "campaign_json",
    "compare",
    "compare_all",
    "compare_legs",
    "independent_code",
    "open_card_agreement",
    "run_campaign",
]
