package io.fibry.internal.scenario;

import static io.fibry.internal.scenario.Change.condition;
import static io.fibry.internal.scenario.Change.drop;
import static io.fibry.internal.scenario.Change.lastArgument;
import static io.fibry.internal.scenario.Change.part;
import static io.fibry.internal.scenario.Change.preceded;
import static io.fibry.internal.scenario.Change.replaced;
import static io.fibry.internal.scenario.Change.value;
import static io.fibry.internal.scenario.Change.withoutOperand;

import java.util.List;

/**
 * The mutants of durable actors. Instead of scenarios, each names the test that finds it: a class of {@code io.fibry.durable} and a
 * method of it.
 */
final class StoreMutants {
    static final List<Mutant> ALL = List.of(
            // ---- The fence. ----
            new Mutant("fenced-turn-is-believed-written",
                    "DurableTest#aWriterThatIsNotTheNewestIsFencedAndThenBeginsAnew", condition(true)),
            new Mutant("stale-writer-gets-in-below-a-snapshot",
                    "SqliteJournalTest#aStaleWriterDoesNotGetInBelowASnapshotWhoseTurnsAreDeleted",
                    part("INSERT",
                            "INSERT.replace(\"(SELECT rev FROM fibry_snapshots\", \"(SELECT 0 FROM fibry_snapshots\")")),
            new Mutant("turn-of-another-writer-is-believed-written",
                    "SqliteJournalTest#aRevisionIsTakenOnceAndTheOthersOfTheGroupAreWritten",
                    part("sql.update(INSERT, values) == 1", "sql.update(INSERT, values) >= 0")),
            new Mutant("turn-is-written-behind-a-gap", "SqliteJournalTest#aTurnThatWouldLeaveAGapIsFenced",
                    part("INSERT", "INSERT.replace(\"?3 = 1 + max\", \"?3 > max\")")),
            new Mutant("turn-behind-a-fenced-one-is-written",
                    "PipelinedTest#turnsBehindAFencedOneAreNotWritten",
                    value("all")),
            new Mutant("turn-behind-a-dropped-one-is-written",
                    "PipelinedTest#theTurnOfAHandlerThatRanWhileThoseBeforeItWereDroppedIsNotWritten",
                    condition("next == BROKEN")),
            new Mutant("rows-below-a-new-snapshot-are-deleted",
                    "PostgresJournalTest#theFloorStaysUntilACompactionHasUsedItAndThenMovesToTheNewestSnapshot",
                    part("KEEP",
                            "KEEP.replace(\"state = excluded\", \"floor_rev = excluded.rev, state = excluded\")")),
            // ---- The commit. ----
            new Mutant("answer-leaves-before-the-commit", "DurableTest#anAnswerLeavesAfterTheCommitOfItsTurn",
                    drop()),
            new Mutant("message-leaves-before-the-commit",
                    "DurableTest#aMessageOfAnOutboxLeavesAfterTheCommitOfItsTurn",
                    preceded("group.committed(turn);")),
            new Mutant("file-is-not-flushed-at-a-commit",
                    "SqliteJournalTest#theFileIsFlushedForEachCommitAndHasAVersion",
                    preceded(
                            "try (var off = connection.createStatement()) { off.execute(\"PRAGMA synchronous=OFF\"); }")),
            new Mutant("each-event-is-a-turn", "LoneTurnTest#theEventsOfATurnAreOneRow",
                    preceded("if (!events.isEmpty()) { try { actor.flush(context); }"
                            + " catch (Exception e) { throw new IllegalStateException(e); } }")),
            new Mutant("state-is-kept-after-a-failure", "PipelinedTest#ifTheStoreFailsAllThatIsUnderWayFails",
                    condition("!current")),
            new Mutant("state-is-read-before-the-end-of-the-commit",
                    "DurableTest#whatIsReadAfterTheLimitHasTheTurnThatWasWrittenAfterAll",
                    preceded("if (sequence.isFull())")),
            new Mutant("caller-overtakes-what-waits", "GroupWorkTest#aCallerDoesNotOvertakeWhatWaits",
                    withoutOperand(0)),
            new Mutant("new-messages-overtake-those-of-the-process-before",
                    "OutboxOrderTest#whatAProcessBeforeHasLeftIsSentFirstAlsoIfItCouldNotBeReadAtOnce",
                    value("false")),
            new Mutant("reminder-comes-at-its-old-time",
                    "DurableTest#aReminderThatAnotherProcessHasMovedOrForgottenDoesNotComeAtItsOldTime",
                    preceded("current = true;")),
            new Mutant("reminder-comes-before-its-time-where-the-clock-is-put-back",
                    "JumpingClockTest#aReminderWaitsForItsTimeWhereTheClockIsPutBack", condition(false)),
            new Mutant("calendar-comes-again-where-the-clock-is-put-back",
                    "JumpingClockTest#aCalendarDoesNotComeAgainIfTheClockIsPutBackWhileItIsHandled",
                    part("now.isAfter(last) ? now : last", "now")),
            new Mutant("transaction-is-many-statements",
                    "SqliteJournalTest#aGroupThatFailsHalfwayLeavesNothingBehind", lastArgument("true")),
            new Mutant("connection-is-kept-after-a-failure",
                    "SqliteJournalTest#aFileThatHadNoRoomIsWrittenWhenThereIsRoomAgain",
                    replaced("if (open != null) { open.connection.rollback(); }")),
            // ---- Sizes. ----
            new Mutant("group-has-any-number-of-bytes",
                    "LargeTurnTest#theTurnsOfATransactionHaveALimitTogether", condition("first == null")),
            new Mutant("turn-of-any-size-is-written",
                    "LargeTurnTest#aTurnThatIsTooLargeFailsAndSaysWhoseItIsHowLargeAndWhatToDo",
                    condition(false)),
            new Mutant("history-is-not-kept",
                    "KeptHistoryTest#theTurnsBelowASnapshotAreThereAndARestartDoesNotReadThem",
                    condition(true)),
            // ---- Projections. ----
            new Mutant("turns-of-transactions-that-run-are-passed-over",
                    "PostgresJournalTest#aTurnThatIsCommittedLateIsNotPassedOver",
                    replaced("var bound = \"9223372036854775807\";")),
            // ---- Ids. ----
            new Mutant("handled-messages-of-the-process-before-are-not-known",
                    "DurableTest#aMessageWithAnIdIsHandledOnceAlsoByTheNextProcess", drop()),
            new Mutant("message-of-an-outbox-loses-its-own-id",
                    "IdentifiedTest#aMessageOfAnOutboxKeepsTheIdThatTheProgramHasGivenIt", condition(false)),
            new Mutant("id-is-written-with-the-first-of-two-commits",
                    "DurableTest#aMessageWithAnIdCannotBeFlushedAndAContextEndsWithItsHandler",
                    condition(false)),
            // ---- Damaged files. ----
            new Mutant("checksum-of-a-row-is-not-compared", "FramesTest#eachByteThatIsAnotherOneIsSeen",
                    condition(false)),
            new Mutant("end-of-a-file-is-not-looked-at",
                    "TornFileTest#aFileThatIsShorterThanItSaysIsRefusedWhenItIsOpened",
                    condition(false)));

    private StoreMutants() {
    }
}
