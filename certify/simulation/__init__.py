"""Play-through of rounds in volume: an independent leg beside the exact enumeration."""

from certify.simulation.agreement import LegAgreement, agreement, agreement_of_rounds, compare_legs
from certify.simulation.campaign import run_campaign
from certify.simulation.decks import DeckSource, RoundSource, StreamDecks, WholeDecks
from certify.simulation.evidence import campaign_json
from certify.simulation.inference import WagerAgreement, compare, compare_all
from certify.simulation.open_card_twin import open_card_agreement, open_card_agreement_of_rounds
from certify.simulation.outcomes import SHARED_CODE, independent_code
from certify.simulation.tally import Campaign

__all__ = [
    "SHARED_CODE",
    "Campaign",
    "DeckSource",
    "LegAgreement",
    "RoundSource",
    "StreamDecks",
    "WagerAgreement",
    "WholeDecks",
    "agreement",
    "agreement_of_rounds",
    "campaign_json",
    "compare",
    "compare_all",
    "compare_legs",
    "independent_code",
    "open_card_agreement",
    "open_card_agreement_of_rounds",
    "run_campaign",
]
