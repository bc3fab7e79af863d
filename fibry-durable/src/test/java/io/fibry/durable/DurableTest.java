package io.fibry.durable;

import static io.fibry.durable.Bank.deposit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorException;
import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.durable.Bank.Answer;
import io.fibry.durable.Bank.Balance;
import io.fibry.durable.Bank.Cancel;
import io.fibry.durable.Bank.Command;
import io.fibry.durable.Bank.Deposit;
import io.fibry.durable.Bank.Drop;
import io.fibry.durable.Bank.Every;
import io.fibry.durable.Bank.Fail;
import io.fibry.durable.Bank.FlushAndFail;
import io.fibry.durable.Bank.Later;
import io.fibry.durable.Bank.Look;
import io.fibry.durable.Bank.Transfer;
import io.fibry.durable.Bank.Twice;
import io.fibry.durable.Journal.Handled;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Loaded;
import io.fibry.durable.Journal.Position;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Sent;
import io.fibry.durable.Journal.Turn;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What durable actors promise, with a store in memory. */
class DurableTest {
    private final TestJournal journal = new TestJournal();

    private DurableStore store() {
        return DurableStore.of(journal, CommitOptions.defaults());
    }

    private static Answer ask(KeyedActors<String, Command, Answer> accounts, Command command)
            throws Exception {
        return Waits.on(accounts.sendMessageReturn(command));
    }

    private static Throwable failure(KeyedActors<String, Command, Answer> accounts, Command command)
            throws Exception {
        try {
            Waits.on(accounts.sendMessageReturn(command));
        } catch (ExecutionException e) {
            return e.getCause();
        }
        throw new AssertionError("the ask did not fail");
    }

    @Test
    @Promise("63.1")
    void anAnswerLeavesAfterTheCommitOfItsTurn() throws Exception {
        try (var store = store(); var scope = ActorSystem.open("test")) {
            var accounts = Bank.open(scope, store);
            ask(accounts, deposit("a", 1));
            journal.hold();
            var answer = accounts.sendMessageReturn(deposit("a", 5));
            journal.awaitCommit();
            boolean isEarly = answer.isDone();
            journal.release(); // also if it fails: the store would wait for the commit when it is closed
            assertThat(isEarly).isFalse();
            assertThat(Waits.on(answer)).isEqualTo(new Answer(6, 1));
        }
    }

    @Test
    @Promise("63.1")
    void aMessageOfAnOutboxLeavesAfterTheCommitOfItsTurn() throws Exception {
        try (var store = store(); var scope = ActorSystem.open("test")) {
            var handled = new AtomicInteger();
            var accounts = Bank.open(scope, Bank.durable(store), Bank.LONG, handled);
            ask(accounts, deposit("a", 10));
            ask(accounts, new Look("b"));
            journal.hold();
            var answer = accounts.sendMessageReturn(new Transfer("a", "b", 4));
            journal.awaitCommit();
            long early = ask(accounts, new Look("b")).cents();
            int count = handled.get();
            journal.release();
            assertThat(early).isZero();
            assertThat(count).as("a deposit, two looks and a transfer").isEqualTo(4);
            Waits.on(answer);
            Waits.until("the money has arrived", () -> cents(accounts, "b") == 4);
        }
    }

    private static long cents(KeyedActors<String, Command, Answer> accounts, String account) {
        try {
            return ask(accounts, new Look(account)).cents();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 100})
    @Promise({"63.1", "64.1"})
    void theStateIsMadeOfAllEventsWhereverTheSnapshotsAre(int snapshotEvery) throws Exception {
        try (var store = store()) {
            for (int process = 0; process < 4; process++) {
                try (var scope = ActorSystem.open("test")) {
                    var accounts =
                            Bank.open(scope, Bank.durable(store).snapshotEvery(snapshotEvery), Bank.LONG,
                                    new AtomicInteger());
                    assertThat(ask(accounts, new Look("a"))).isEqualTo(new Answer(process * 8, process * 2));
                    assertThat(ask(accounts, new Twice("a", 3)).cents()).isEqualTo(process * 8 + 6);
                    assertThat(ask(accounts, deposit("a", 2)).cents()).isEqualTo(process * 8 + 8);
                    store.compaction.run(Duration.ofDays(-1));
                }
            }
            assertThat(journal.load(List.of(new Id("accounts", "a"))).get(new Id("accounts", "a")).turns()
                    .size())
                    .isLessThan(Math.min(snapshotEvery, 9));
        }
    }

    @Test
    @Promise("64.1")
    void anActorThatWasIdleReadsItsStateAgainAndWritesNothing() throws Exception {
        var time = new ManualTime();
        try (var store = store(); var scope = ActorSystem.configure("test").time(time).open()) {
            var accounts = Bank.open(scope, Bank.durable(store), Duration.ofMinutes(1),
                    new AtomicInteger());
            ask(accounts, deposit("a", 5));
            int commits = journal.commits.get();
            Waits.until("the actor has stopped", () -> {
                time.advance(Duration.ofMinutes(1));
                return accounts.live() == 0;
            });
            assertThat(journal.commits).hasValue(commits);
            assertThat(ask(accounts, deposit("a", 1)).cents()).isEqualTo(6);
        }
    }

    @Test
    @Promise("64.1")
    void anIdleActorMakesRoomForAnotherKeyAndItsStateStays() throws Exception {
        try (var store = store(); var scope = ActorSystem.open("test")) {
            var accounts = Bank.open(scope, Bank.durable(store).atMost(1), Bank.LONG, new AtomicInteger());
            for (int sum = 1; sum < 4; sum++) {
                for (var key : List.of("a", "b")) {
                    Waits.until("the actor before is idle", () -> accounts.live() == 0
                            || accounts.find("a").or(() -> accounts.find("b")).orElseThrow()
                                    .state() == ActorState.IDLE);
                    assertThat(ask(accounts, deposit(key, 1)).cents()).isEqualTo(sum);
                    assertThat(accounts.live()).isEqualTo(1);
                }
            }
        }
        try (var store = store()) {
            assertThatThrownBy(() -> Bank.durable(store).atMost(0))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> Bank.durable(store).idle(Duration.ZERO))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    @Promise("64.2")
    void aWriterThatIsNotTheNewestIsFencedAndThenBeginsAnew() throws Exception {
        try (var store = store();
                var other = store();
                var scope = ActorSystem.open("test");
                var elsewhere = ActorSystem.open("elsewhere")) {
            var accounts = Bank.open(scope, store);
            var others = Bank.open(elsewhere, other);
            assertThat(ask(accounts, deposit("a", 1)).cents()).isEqualTo(1);
            assertThat(ask(others, deposit("a", 10)).cents()).isEqualTo(11);
            assertThat(failure(accounts, deposit("a", 100))).isInstanceOf(FencedException.class)
                    .hasMessageContaining("accounts a").hasMessageContaining("revision 1");
            assertThat(ask(accounts, deposit("a", 1000)).cents()).isEqualTo(1011);
            assertThat(failure(others, deposit("a", 1))).isInstanceOf(FencedException.class);
            assertThat(ask(others, new Look("a"))).isEqualTo(new Answer(1011, 3));
        }
    }

    @Test
    @Promise("64.2")
    void aReadCanBeConfirmed() throws Exception {
        try (var store = store();
                var other = store();
                var scope = ActorSystem.open("test");
                var elsewhere = ActorSystem.open("elsewhere")) {
            var accounts =
                    Bank.open(scope, Bank.durable(store).confirmReads(), Bank.LONG, new AtomicInteger());
            var others = Bank.open(elsewhere, other);
            ask(accounts, deposit("a", 1));
            assertThat(ask(accounts, new Look("a")).cents()).isEqualTo(1);
            ask(others, deposit("a", 10));
            assertThat(failure(accounts, new Look("a"))).isInstanceOf(FencedException.class);
            assertThat(ask(accounts, new Look("a")).cents()).isEqualTo(11);
            assertThat(ask(accounts, new Look("nobody")).cents()).isZero();
        }
    }

    @Test
    @Promise("65.1")
    void aHandlerThatThrowsHasChangedNothing() throws Exception {
        try (var store = store(); var scope = ActorSystem.open("test")) {
            var accounts = Bank.open(scope, store);
            ask(accounts, deposit("a", 5));
            assertThat(failure(accounts, new Fail("a"))).isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("on purpose");
            assertThat(ask(accounts, new Look("a"))).isEqualTo(new Answer(5, 1));
            assertThat(ask(accounts, deposit("a", 1)).cents()).isEqualTo(6);
            assertThat(journal.unsent("accounts", Journal.Slices.ALL, Position.FIRST, 10)).isEmpty();
            assertThat(journal.due("accounts", Journal.Slices.ALL, Instant.MAX, 10)).isEmpty();
        }
    }

    @Test
    @Promise({"65.1", "63.1"})
    void whatWasFlushedStaysAndTheRestDoesNot() throws Exception {
        try (var store = store()) {
            try (var scope = ActorSystem.open("test")) {
                var accounts = Bank.open(scope, store);
                assertThat(failure(accounts, new FlushAndFail("a"))).hasMessage("on purpose");
                assertThat(ask(accounts, new Look("a"))).isEqualTo(new Answer(1, 1));
            }
            try (var scope = ActorSystem.open("test")) {
                assertThat(ask(Bank.open(scope, store), new Look("a"))).isEqualTo(new Answer(1, 1));
            }
        }
    }

    @Test
    @Promise("65.2")
    void aStoreThatFailsFailsTheAsksWithItsCauseAndNothingIsAnsweredFromWhatIsNotWritten() throws Exception {
        try (var store = store(); var scope = ActorSystem.open("test")) {
            var accounts = Bank.open(scope, store);
            ask(accounts, deposit("a", 5));
            journal.broken.set(true);
            assertThat(failure(accounts, deposit("a", 1))).isInstanceOf(ActorException.class)
                    .hasMessageContaining("disk on fire").hasRootCauseMessage("disk on fire");
            assertThat(failure(accounts, new Look("a"))).hasMessageContaining("disk on fire");
            journal.broken.set(false);
            assertThat(ask(accounts, new Look("a")).cents()).isEqualTo(5);
        }
    }

    @Test
    @Promise("65.2")
    void aCommitWhoseEndWasNotSeenIsReadAgain() throws Exception {
        try (var store = store(); var scope = ActorSystem.open("test")) {
            var accounts = Bank.open(scope, store);
            ask(accounts, deposit("a", 5));
            journal.writtenAndBroken.set(true);
            assertThat(failure(accounts, deposit("a", 1))).hasMessageContaining("connection cut");
            assertThat(ask(accounts, new Look("a"))).as("it had been written").isEqualTo(new Answer(6, 2));
        }
    }

    @Test
    @Promise("65.2")
    void aStoreThatHangsFailsTheAsksAfterTheLimit() throws Exception {
        var time = new ManualTime();
        var limit = Duration.ofSeconds(1);
        try (var store = DurableStore.of(journal, CommitOptions.defaults().limit(limit),
                ActorSystem.configure("durable-store").time(time).open());
                var scope = ActorSystem.open("test")) {
            var accounts = Bank.open(scope, store);
            journal.hold();
            var first = accounts.sendMessageReturn(deposit("a", 1));
            journal.awaitCommit();
            var second = accounts.sendMessageReturn(deposit("b", 1));
            Waits.until("the second one waits", () -> store.writes.waiting.size() == 1);
            time.advance(limit);
            assertThat(Waits.failure(first)).hasMessageContaining("has not answered");
            assertThat(Waits.failure(second)).hasMessageContaining("has not answered");
            journal.release();
        }
    }

    /** Nobody waits for the commit any more, and it takes place. */
    @Test
    @Promise({"64.1", "65.2"})
    void whatIsReadAfterTheLimitHasTheTurnThatWasWrittenAfterAll() throws Exception {
        var time = new ManualTime();
        try (var store = DurableStore.of(journal, CommitOptions.defaults(),
                ActorSystem.configure("durable-store").time(time).open());
                var scope = ActorSystem.open("test")) {
            var accounts = Bank.open(scope, store);
            journal.hold();
            var late = accounts.sendMessageReturn(deposit("a", 5));
            journal.awaitCommit();
            time.advance(CommitOptions.defaults().limit());
            assertThat(Waits.failure(late)).hasMessageContaining("has not answered");
            var look = accounts.sendMessageReturn(new Look("a"));
            Waits.until("the look waits for the commit",
                    () -> store.writes.waiting.size() == 1 || look.isDone());
            journal.release();
            assertThat(Waits.on(look)).isEqualTo(new Answer(5, 1));
            assertThat(ask(accounts, deposit("a", 1)).cents()).as("it is not fenced by itself").isEqualTo(6);
        }
    }

    @Test
    @Promise("65.2")
    void theActorsOfAnotherStoreGoOnMeanwhile() throws Exception {
        try (var store = store();
                var other = DurableStore.inMemory();
                var scope = ActorSystem.open("test");
                var elsewhere = ActorSystem.open("elsewhere")) {
            var accounts = Bank.open(scope, store);
            var others = Bank.open(elsewhere, other);
            journal.hold();
            var held = accounts.sendMessageReturn(deposit("a", 1));
            journal.awaitCommit();
            for (int i = 1; i <= 50; i++) {
                assertThat(ask(others, deposit("a", 1)).cents()).isEqualTo(i);
            }
            assertThat(held).isNotDone();
            journal.release();
            assertThat(Waits.on(held).cents()).isEqualTo(1);
        }
    }

    @Test
    @Promise("65.2")
    void turnsThatAreDurableDoNotFailWithWhatIsDeletedBesideThem() throws Exception {
        try (var store = store(); var scope = ActorSystem.open("test")) {
            var accounts = Bank.open(scope, store);
            ask(accounts, new Look("b"));
            journal.hold();
            var first = accounts.sendMessageReturn(deposit("a", 1));
            journal.awaitCommit();
            var second = accounts.sendMessageReturn(deposit("b", 2));
            Waits.until("the second turn waits", () -> store.writes.waiting.size() == 1);
            journal.compactFails.set(true);
            var compacting = Thread.startVirtualThread(() -> {
                try {
                    store.compaction.run(Duration.ofDays(1));
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            Waits.until("both wait", () -> store.writes.waiting.size() == 2);
            journal.release();
            assertThat(Waits.on(first).cents()).isEqualTo(1);
            assertThat(Waits.on(second).cents()).isEqualTo(2);
            compacting.join();
        }
    }

    /** A journal with a compaction of many steps, which notes what it does. */
    private static final class SteppingJournal extends ForwardingJournal {
        private final List<String> done = new CopyOnWriteArrayList<>();
        private final AtomicInteger steps = new AtomicInteger();
        private volatile Runnable inStep = () -> {
        };
        private volatile int last = Integer.MAX_VALUE;

        @Override
        public BitSet commit(List<Turn> turns) throws Exception {
            done.add("commit");
            return super.commit(turns);
        }

        @Override
        public Step compact(String group, Instant before, Position from, int most) {
            int step = steps.incrementAndGet();
            assertThat(from).isEqualTo(step == 1 ? Position.FIRST : new Position("key", step - 1));
            assertThat(most).isEqualTo(Compaction.MOST_OF_STEP);
            done.add("step");
            inStep.run();
            return new Step(1, step < last ? Optional.of(new Position("key", step)) : Optional.empty());
        }
    }

    @Test
    @Promise("64.5")
    void turnsAreWrittenBetweenTheStepsOfACompaction() throws Exception {
        var stepping = new SteppingJournal();
        try (var store = DurableStore.of(stepping, CommitOptions.defaults());
                var scope = ActorSystem.open("test")) {
            var accounts = Bank.open(scope, store);
            ask(accounts, new Look("a"));
            stepping.last = 5;
            stepping.inStep = () -> {
                if (stepping.steps.get() < 5) {
                    accounts.sendMessage(deposit("a", 1));
                    Waits.until("a turn waits for the end of the step",
                            () -> store.writes.waiting.size() == 1);
                }
            };
            store.compaction.run(Duration.ofDays(1));
            assertThat(stepping.done).containsExactly("step", "commit", "step", "commit", "step", "commit",
                    "step", "commit", "step");
            assertThat(ask(accounts, new Look("a")).cents()).isEqualTo(4);
        }
    }

    @Test
    @Promise("64.5")
    void aStoreThatIsClosedEndsACompaction() throws Exception {
        var stepping = new SteppingJournal();
        var store = DurableStore.of(stepping, CommitOptions.defaults());
        try (var scope = ActorSystem.open("test")) {
            ask(Bank.open(scope, store), new Look("a"));
            var ended = new CompletableFuture<Boolean>();
            var compacting = Thread.startVirtualThread(() -> {
                try {
                    store.compaction.run(Duration.ofDays(1));
                } catch (ActorException | InterruptedException closed) {
                    // As it is told to those who write.
                } finally {
                    ended.complete(true);
                }
            });
            Waits.until("it has begun", () -> stepping.steps.get() > 2);
            store.close();
            assertThat(Waits.on(ended)).isTrue();
            compacting.join();
        }
    }

    @Test
    @Promise("63.1")
    void whatManyActorsWriteWhileACommitRunsIsOneTransaction() throws Exception {
        try (var store = store(); var scope = ActorSystem.open("test")) {
            var accounts = Bank.open(scope, store);
            for (int i = 0; i < 20; i++) {
                ask(accounts, deposit("a" + i, 1));
            }
            journal.hold();
            var first = accounts.sendMessageReturn(deposit("first", 1));
            journal.awaitCommit();
            var answers = new ArrayList<CompletableFuture<Answer>>();
            for (int i = 0; i < 20; i++) {
                answers.add(accounts.sendMessageReturn(deposit("a" + i, 1)));
            }
            Waits.until("all wait", () -> store.writes.waiting.size() == 20);
            int before = journal.commits.get();
            journal.release();
            Waits.on(first);
            for (var answer : answers) {
                assertThat(Waits.on(answer).cents()).isEqualTo(2);
            }
            assertThat(journal.commits.get() - before).as("the first one, and the twenty").isEqualTo(2);
        }
    }

    @Test
    @Promise("66.2")
    void aMessageWithAnIdIsHandledOnceAlsoByTheNextProcess() throws Exception {
        var once = new Deposit("a", 7, Optional.of("order-1"));
        try (var store = store()) {
            for (int process = 0; process < 4; process++) {
                try (var scope = ActorSystem.open("test")) {
                    var handled = new AtomicInteger();
                    var accounts = Bank.open(scope, Bank.durable(store).snapshotEvery(2), Bank.LONG, handled);
                    assertThat(ask(accounts, once)).isEqualTo(new Answer(7, 0));
                    assertThat(ask(accounts, once)).isEqualTo(new Answer(7, 0));
                    assertThat(handled).hasValue(process == 0 ? 1 : 0);
                    ask(accounts, deposit("a", 1));
                    store.compaction.run(Duration.ofDays(-1));
                }
            }
            try (var scope = ActorSystem.open("test")) {
                assertThat(ask(Bank.open(scope, store), new Look("a")).cents()).isEqualTo(7 + 4);
            }
        }
    }

    @Test
    @Promise("66.1")
    void anOutboxThatWasNotSentIsSentByTheNextProcessAndHasItsEffectOnce() throws Exception {
        try (var store = store()) {
            journal.loseSent.set(true);
            for (int process = 0; process < 3; process++) {
                try (var scope = ActorSystem.open("test")) {
                    var accounts = Bank.open(scope, Bank.durable(store).snapshotEvery(2), Bank.LONG,
                            new AtomicInteger());
                    if (process == 0) {
                        ask(accounts, deposit("a", 100));
                        for (int i = 0; i < 5; i++) {
                            ask(accounts, new Transfer("a", "b", 10));
                        }
                    }
                    Waits.until("the money has arrived", () -> cents(accounts, "b") == 50);
                    Waits.until("all have been marked", () -> journal.lost.get() >= 5);
                    assertThat(journal.unsent("accounts", Journal.Slices.ALL, Position.FIRST, 100))
                            .as("the marks were lost")
                            .hasSize(5);
                    journal.lost.set(0);
                    assertThat(cents(accounts, "a")).isEqualTo(50);
                    assertThat(cents(accounts, "b")).isEqualTo(50);
                }
            }
        }
    }

    @Test
    @Promise("66.1")
    void messagesOfAnOutboxArriveInOrder() throws Exception {
        var seen = new ArrayList<Long>();
        var all = new CountDownLatch(50);
        try (var store = store(); var scope = ActorSystem.open("test")) {
            KeyedActors<String, Deposit, Void> plain =
                    scope.named("plain").keyed(Deposit::account).idle(Bank.LONG)
                            .newActorsFrom(key -> (context, message) -> {
                                seen.add(message.cents());
                                all.countDown();
                            });
            var senders = Durable.stateOnly(store, "senders", Long.class, 0L).reaches(plain, Deposit.class)
                    .idle(Bank.LONG).keyed(scope, String.class, Long.class, key -> key, (self, key) -> {
                        self.persist(self.state() + 1);
                        self.send(plain, deposit("a", self.state()));
                        return self.state();
                    });
            for (int i = 0; i < 50; i++) {
                Waits.on(senders.sendMessageReturn("s"));
            }
            Waits.on(all);
            assertThat(seen).isSorted().hasSize(50);
        }
    }

    @Test
    void anOutboxGoesToActorsThatAreKnown() throws Exception {
        try (var store = store(); var scope = ActorSystem.open("test")) {
            KeyedActors<String, Deposit, Void> plain =
                    scope.named("plain").keyed(Deposit::account).idle(Bank.LONG)
                            .newActorsFrom(key -> (context, message) -> {
                            });
            var senders =
                    Durable.stateOnly(store, "senders", Long.class, 0L).idle(Bank.LONG).keyed(scope,
                            String.class,
                            Long.class, key -> key, (self, key) -> {
                                self.send(plain, deposit("a", self.state()));
                                return self.state();
                            });
            assertThat(Waits.failure(senders.sendMessageReturn("s"))).hasMessageContaining("reaches");
            assertThatThrownBy(
                    () -> Durable.stateOnly(store, "senders", Long.class, 0L).idle(Bank.LONG)
                            .keyed(scope, String.class, Long.class, key -> key, (self, key) -> 0L))
                    .isInstanceOf(IllegalStateException.class).hasMessageContaining("senders");
        }
    }

    @Test
    @Promise("67.1")
    void aReminderComesOnceAndNotBeforeItsTime() throws Exception {
        var time = new ManualTime();
        try (var store = store(); var scope = ActorSystem.configure("test").time(time).open()) {
            var accounts = Bank.open(scope, store);
            var at = time.clock().instant().plus(Duration.ofHours(3));
            ask(accounts, new Later("a", at, 5));
            ask(accounts, new Later("gone", at, 5));
            ask(accounts, new Cancel("gone"));
            for (int i = 0; i < 179; i++) {
                time.advance(Duration.ofMinutes(1));
            }
            assertThat(cents(accounts, "a")).isZero();
            Waits.until("the reminder has come", () -> {
                time.advance(Duration.ofSeconds(30));
                return cents(accounts, "a") == 5;
            });
            for (int i = 0; i < 10; i++) {
                time.advance(Duration.ofMinutes(1));
            }
            assertThat(cents(accounts, "a")).isEqualTo(5);
            assertThat(cents(accounts, "gone")).isZero();
            assertThat(journal.due("accounts", Journal.Slices.ALL, Instant.MAX, 10)).isEmpty();
        }
    }

    /** The reminder is under way when it is forgotten, and the state is read again before it is handled. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Promise("67.1")
    void aReminderThatWasForgottenDoesNotComeAfterACommitWhoseEndIsNotKnown(boolean isForgottenByIt)
            throws Exception {
        var time = new ManualTime();
        try (var store = store(); var scope = ActorSystem.configure("test").time(time).open()) {
            var accounts = Bank.open(scope, store);
            ask(accounts, new Later("a", time.clock().instant().plus(Duration.ofSeconds(10)), 5));
            journal.hold();
            var first = accounts.sendMessageReturn(deposit("a", 1));
            journal.awaitCommit();
            var forgotten = accounts.sendMessageReturn(new Cancel("a"));
            var lost = accounts.sendMessageReturn(deposit("a", 100));
            time.advance(Duration.ofSeconds(20));
            Waits.until("the reminder waits behind them",
                    () -> scope.dump().scope().scopes().getFirst().waiting() == 3);
            journal.releaseOne();
            Waits.on(first);
            journal.awaitCommit();
            if (isForgottenByIt) {
                journal.writtenAndBroken.set(true);
                journal.release();
                assertThat(Waits.failure(forgotten)).hasMessageContaining("connection cut");
                Waits.on(lost);
                assertThat(cents(accounts, "a")).isEqualTo(101);
            } else {
                journal.releaseOne();
                Waits.on(forgotten);
                journal.awaitCommit();
                journal.cut.set(true);
                journal.release();
                assertThat(Waits.failure(lost)).hasMessageContaining("cut before");
                assertThat(cents(accounts, "a")).isEqualTo(1);
            }
            assertThat(journal.due("accounts", Journal.Slices.ALL, Instant.MAX, 10)).isEmpty();
        }
    }

    /** A journal that counts how often reminders are read, and one of them is looked for. */
    private static final class CountingJournal extends ForwardingJournal {
        private final AtomicInteger reads = new AtomicInteger();
        private final AtomicInteger looks = new AtomicInteger();

        @Override
        public List<Reminder> due(String group, Slices slices, Instant until, int most) throws Exception {
            var due = super.due(group, slices, until, most);
            reads.incrementAndGet();
            return due;
        }

        @Override
        public Optional<Reminder> reminder(Id id, String name) throws Exception {
            var found = super.reminder(id, name);
            looks.incrementAndGet();
            return found;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Promise("67.1")
    void aReminderThatAnotherProcessHasMovedOrForgottenDoesNotComeAtItsOldTime(boolean isMoved)
            throws Exception {
        var time = new ManualTime();
        var counting = new CountingJournal();
        var elsewhere = new AtomicInteger();
        try (var store = DurableStore.of(counting, CommitOptions.defaults());
                var other = DurableStore.of(counting, CommitOptions.defaults());
                var scope = ActorSystem.configure("test").time(time).open();
                var otherScope = ActorSystem.configure("elsewhere").time(time).open()) {
            var accounts = Bank.open(scope, store);
            Waits.until("the first process has read", () -> counting.reads.get() == 1);
            var at = time.clock().instant().plus(Duration.ofSeconds(20));
            ask(accounts, new Later("a", at, 5));
            var others = Bank.open(otherScope, Bank.durable(other), Bank.LONG, elsewhere);
            Waits.until("the other process has read", () -> counting.reads.get() == 2);
            // Both have changed it before: what they know of it is no proof.
            ask(others, new Later("a", at, 6));
            assertThat(failure(accounts, deposit("a", 0))).isInstanceOf(FencedException.class);
            ask(accounts, isMoved ? new Later("a", at.plusSeconds(20), 7) : new Cancel("a"));
            time.advance(Duration.ofSeconds(20));
            Waits.until("it has come to the other process",
                    () -> counting.looks.get() > 0 || elsewhere.get() > 1);
            for (int i = 0; i < 19; i++) {
                time.advance(Duration.ofSeconds(1));
            }
            assertThat(ask(accounts, new Look("a")).cents()).isZero();
            assertThat(ask(others, new Look("a")).cents()).isZero();
            assertThat(elsewhere).as("one that was set, and a look").hasValue(2);
            if (isMoved) {
                Waits.until("the reminder comes at its new time", () -> {
                    time.advance(Duration.ofSeconds(1));
                    return cents(accounts, "a") == 7 || cents(others, "a") == 7;
                });
            }
            assertThat(counting.due("accounts", Journal.Slices.ALL, Instant.MAX, 10)).isEmpty();
        }
    }

    @Test
    @Promise("67.1")
    void aRepeatedReminderComesOnceInEachPeriodAlsoToTwoProcesses() throws Exception {
        var time = new ManualTime();
        var counting = new CountingJournal();
        try (var store = DurableStore.of(counting, CommitOptions.defaults());
                var other = DurableStore.of(counting, CommitOptions.defaults());
                var scope = ActorSystem.configure("test").time(time).open();
                var otherScope = ActorSystem.configure("elsewhere").time(time).open()) {
            var accounts = Bank.open(scope, store);
            ask(accounts, new Every("a", Duration.ofSeconds(10), 1));
            Waits.until("the first process has read", () -> counting.reads.get() == 1);
            Bank.open(otherScope, other);
            Waits.until("the other process has read", () -> counting.reads.get() == 2);
            var id = new Id("accounts", "a");
            for (int i = 1; i <= 12; i++) {
                int turns = 1 + i;
                time.advance(Duration.ofSeconds(10));
                Waits.until("it has come", () -> counting.memory() instanceof MemoryJournal memory
                        && memory.history(id, 0, 99).size() == turns);
            }
        }
    }

    @Test
    @Promise("67.1")
    void aReminderThatIsLateBecauseThereWasNoProcessComesOnce() throws Exception {
        var time = new ManualTime();
        try (var store = store()) {
            try (var scope = ActorSystem.configure("test").time(time).open()) {
                var accounts = Bank.open(scope, store);
                ask(accounts, new Later("a", time.clock().instant().plus(Duration.ofHours(3)), 5));
                ask(accounts, new Every("b", Duration.ofHours(1), 1));
            }
            time.advance(Duration.ofHours(10));
            try (var scope = ActorSystem.configure("test").time(time).open()) {
                var accounts = Bank.open(scope, store);
                Waits.until("both have come", () -> cents(accounts, "a") == 5 && cents(accounts, "b") == 1);
                assertThat(journal.due("accounts", Journal.Slices.ALL, Instant.MAX, 10))
                        .extracting(Reminder::name)
                        .containsExactly("every");
                assertThat(cents(accounts, "a")).isEqualTo(5);
                assertThat(cents(accounts, "b")).as("not once for each hour").isEqualTo(1);
            }
        }
    }

    @Test
    void whatIsDeletedBeginsAnewWithTheNextRevision() throws Exception {
        try (var store = store()) {
            try (var scope = ActorSystem.open("test")) {
                var accounts = Bank.open(scope, store);
                ask(accounts, deposit("a", 5));
                ask(accounts, new Later("a", Instant.parse("3000-01-01T00:00:00Z"), 5));
                assertThat(ask(accounts, new Drop("a")).cents()).isZero();
                assertThat(journal.due("accounts", Journal.Slices.ALL, Instant.MAX, 10)).isEmpty();
                assertThat(ask(accounts, deposit("a", 1))).isEqualTo(new Answer(1, 3));
            }
            try (var scope = ActorSystem.open("test")) {
                assertThat(ask(Bank.open(scope, store), new Look("a"))).isEqualTo(new Answer(1, 4));
            }
        }
    }

    @Test
    @Promise("68.1")
    void theNextProcessReadsOnlyWhatItNeeds() throws Exception {
        try (var store = store()) {
            try (var scope = ActorSystem.open("test")) {
                var accounts = Bank.open(scope, store);
                for (int i = 0; i < 100; i++) {
                    ask(accounts, deposit("a" + i, i));
                }
            }
            journal.loaded.clear();
            try (var scope = ActorSystem.open("test")) {
                assertThat(ask(Bank.open(scope, store), new Look("a7")).cents()).isEqualTo(7);
            }
            assertThat(journal.loaded).containsExactly(new Id("accounts", "a7"));
        }
    }

    /** Also while the actor handles a later message. */
    @Test
    void aContextIsOfItsMessageAlone() throws Exception {
        try (var store = store(); var scope = ActorSystem.open("test")) {
            var first = new AtomicReference<DurableContext<Balance, Bank.Event, Command, Answer>>();
            var accounts = Bank.durable(store).idle(Bank.LONG).keyed(scope, Command.class, Answer.class,
                    Command::account, (self, command) -> {
                        first.compareAndSet(null, self);
                        if (first.get() != self) {
                            first.get().persist(new Bank.Deposited(1_000));
                        }
                        self.persist(new Bank.Deposited(1));
                        return new Answer(self.state().cents(), self.revision());
                    });
            ask(accounts, new Look("a"));
            assertThat(failure(accounts, new Look("a"))).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("outside of its handler");
        }
    }

    @Test
    void aMessageWithAnIdCannotBeFlushedAndAContextEndsWithItsHandler() throws Exception {
        try (var store = store(); var scope = ActorSystem.open("test")) {
            var kept = new ArrayList<DurableContext<Balance, Bank.Event, Command, Answer>>();
            var accounts =
                    Bank.durable(store).idle(Bank.LONG).keyed(scope, Command.class, Answer.class,
                            Command::account,
                            (self, command) -> {
                                kept.add(self);
                                self.persist(new Bank.Deposited(1));
                                self.flush();
                                return new Answer(self.state().cents(), self.revision());
                            });
            assertThat(ask(accounts, new Look("a"))).isEqualTo(new Answer(1, 1));
            assertThat(failure(accounts, new Deposit("a", 1, Optional.of("id"))))
                    .isInstanceOf(IllegalStateException.class).hasMessageContaining("flush()");
            assertThatThrownBy(() -> kept.getFirst().state()).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("outside of its handler");
        }
    }

    @Test
    void actorsWhoseStoreIsClosedFail() throws Exception {
        var store = store();
        try (var scope = ActorSystem.open("test")) {
            var accounts = Bank.open(scope, store);
            ask(accounts, deposit("a", 5));
            store.close();
            assertThat(failure(accounts, deposit("a", 1))).hasMessageContaining("closed");
        }
    }

    /** A journal in memory that can be held, break, and lose what need not be durable. */
    private static final class TestJournal extends ForwardingJournal {
        private final AtomicBoolean held = new AtomicBoolean();
        private final Semaphore arrived = new Semaphore(0);
        private final Semaphore goOn = new Semaphore(0);
        private final AtomicBoolean broken = new AtomicBoolean();
        private final AtomicBoolean writtenAndBroken = new AtomicBoolean();
        private final AtomicBoolean cut = new AtomicBoolean();
        private final AtomicBoolean compactFails = new AtomicBoolean();
        private final AtomicBoolean loseSent = new AtomicBoolean();
        private final AtomicInteger lost = new AtomicInteger();
        private final AtomicInteger commits = new AtomicInteger();
        private final List<Id> loaded = new CopyOnWriteArrayList<>();

        void hold() {
            held.set(true);
        }

        void awaitCommit() throws InterruptedException {
            assertThat(arrived.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
        }

        /** Lets the commit that is held go on, and holds the next one. */
        void releaseOne() {
            goOn.release();
        }

        void release() {
            held.set(false);
            goOn.release();
        }

        private void check() {
            if (broken.get()) {
                throw new IllegalStateException("disk on fire");
            }
        }

        @Override
        public Map<Id, Loaded> load(Collection<Id> ids) throws Exception {
            check();
            loaded.addAll(ids);
            return super.load(ids);
        }

        @Override
        public Map<Id, Long> revisions(Collection<Id> ids) throws Exception {
            check();
            return super.revisions(ids);
        }

        @Override
        public BitSet commit(List<Turn> turns) throws Exception {
            check();
            if (held.get()) {
                arrived.release();
                goOn.acquire();
            }
            if (cut.getAndSet(false)) {
                throw new IllegalStateException("cut before the commit");
            }
            commits.incrementAndGet();
            var written = super.commit(turns);
            if (writtenAndBroken.getAndSet(false)) {
                throw new IllegalStateException("connection cut");
            }
            return written;
        }

        @Override
        public void sent(Collection<Sent> turns) throws Exception {
            check();
            if (loseSent.get()) {
                lost.addAndGet(turns.size());
            } else {
                super.sent(turns);
            }
        }

        @Override
        public List<Turn> unsent(String group, Slices slices, Position after, int most)
                throws Exception {
            check();
            return super.unsent(group, slices, after, most);
        }

        @Override
        public List<Reminder> due(String group, Slices slices, Instant until, int most) throws Exception {
            check();
            return super.due(group, slices, until, most);
        }

        @Override
        public Optional<Handled> handled(Id to, UUID id) throws Exception {
            check();
            return super.handled(to, id);
        }

        @Override
        public Optional<Reminder> reminder(Id id, String name) throws Exception {
            check();
            return super.reminder(id, name);
        }

        @Override
        public Step compact(String group, Instant before, Position from, int most) throws Exception {
            if (compactFails.get()) {
                throw new IllegalStateException("no space to delete");
            }
            return super.compact(group, before, from, most);
        }
    }
}
