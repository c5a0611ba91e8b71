"""The life of a round: betting, play, settlement, malfunction, voiding, interruption and recall."""

from certify.rounds.events import (
    BetsExpired,
    CardsDealt,
    Event,
    MalfunctionDeclared,
    RoundResumed,
    RoundSettled,
    SessionOpened,
    StakeAdded,
    deck_commitment,
    kind_of,
)
from certify.rounds.exercise import (
    default_stakes,
    policy_values,
    under_adopted_terms,
)
from certify.rounds.journal import (
    STATUSES,
    HeadCommand,
    HeadKeeper,
    HeadLog,
    HeadNotKeptError,
    decode,
    encode,
    latest,
    line_of,
    summaries,
)
from certify.rounds.ledger import (
    DESK,
    LONGEST_TEXT,
    Closing,
    Ledger,
    LedgerRequest,
    finish,
)
from certify.rounds.machine import (
    Machine,
)
from certify.rounds.money import (
    LADDER,
    Account,
    AtStake,
    Posting,
    Rounding,
    balance_of,
    extreme_returns,
    longest_period,
    period_of,
    return_at_stake,
    returned_on,
    returns_by_stake,
    rounded,
    too_fine,
    transfer,
    within_a_coin,
)
from certify.rounds.play import (
    Edition,
    Play,
    calmest,
    edition_of,
    funds_for,
)
from certify.rounds.policy import (
    JURISDICTIONS,
    MARKET,
    OBLIGATIONS,
    AfterSettlement,
    DayCount,
    KnownResults,
    Policy,
    VoidStakes,
)
from certify.rounds.postgres_store import (
    PostgresStore,
    ledger_at,
)
from certify.rounds.probe import (
    Deck,
)
from certify.rounds.recall import (
    NOT_OFFERED,
    RoundRecord,
    check_recall,
    missing_fields,
    record_of,
    to_csv,
    to_json,
    to_text,
    verify_replay,
)
from certify.rounds.situations import (
    ADDED_STAKE,
    SHOWN_FACE,
    SITUATIONS,
    situations_of,
)
from certify.rounds.sql_store import (
    _UNRESOLVED,
    SqlStore,
)
from certify.rounds.sqlite_store import (
    SqliteStore,
)
from certify.rounds.state import (
    COMPLETE,
    OPEN,
    Phase,
    Round,
    Seat,
    replay,
)
from certify.rounds.store import (
    GENESIS,
    Chain,
    LedgerError,
    NotALedgerError,
    StoredRecord,
    Vault,
    verify_round,
    walk_chain,
)
from certify.rounds.system import (
    Draws,
    ReferenceSystem,
    reference_system,
    step,
)
from certify.rounds.table import (
    DEALS,
    Command,
    PastRound,
    Reply,
    SeatAction,
    SystemFactory,
    View,
    command_for,
    view_of,
)
