package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.durable.Bank.Answer;
import io.fibry.durable.Bank.Command;
import io.fibry.durable.Bank.Fail;
import io.fibry.durable.Bank.Look;
import io.fibry.durable.Bank.Transfer;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Actors that go on while their turns are being written. */
@Timeout(60)
class PipelinedTest {
    /** A journal that commits when a test allows it to. */
    private static final class GatedJournal extends ForwardingJournal {
        final Semaphore commits = new Semaphore(0);
        final List<List<Long>> groups = new CopyOnWriteArrayList<>();
        volatile boolean broken;

        @Override
        public BitSet commit(List<Turn> turns) throws Exception {
            commits.acquire();
            if (broken) {
                throw new IllegalStateException("disk on fire");
            }
            groups.add(turns.stream().map(Turn::revision).toList());
            return super.commit(turns);
        }
    }

    private final GatedJournal journal = new GatedJournal();
    private final AtomicInteger handled = new AtomicInteger();

    private KeyedActors<String, Command, Answer> open(ActorScope scope, DurableStore store) {
        return Bank.open(scope, Bank.durable(store).pipelined(), Bank.LONG, handled);
    }

    private static DurableStore store(Journal journal) {
        return DurableStore.of(journal, new CommitOptions(Duration.ofSeconds(30)));
    }

    /**
     * Makes the actor of a key wait for its first commit, sends these messages, lets that commit go, and waits until the
     * actor has handled all but the last one, which it waits for. None of them is written yet.
     */
    private List<CompletableFuture<Answer>> underWay(KeyedActors<String, Command, Answer> accounts,
            List<? extends Command> commands) throws Exception {
        var first = accounts.sendMessageReturn(Bank.deposit("a", 1));
        Waits.until("the first commit waits", journal.commits::hasQueuedThreads);
        var answers = new ArrayList<CompletableFuture<Answer>>();
        commands.forEach(command -> answers.add(accounts.sendMessageReturn(command)));
        journal.commits.release();
        Waits.on(first);
        Waits.until("all are handled", () -> handled.get() == 1 + commands.size());
        Waits.until("the second commit waits", journal.commits::hasQueuedThreads);
        assertThat(answers).noneMatch(CompletableFuture::isDone);
        return answers;
    }

    private static List<Command> deposits(int count) {
        var all = new ArrayList<Command>();
        for (int i = 0; i < count; i++) {
            all.add(Bank.deposit("a", 1));
        }
        return all;
    }

    @Test
    @Promise("63.5")
    void turnsOfOneKeyShareACommitAndAnswerAfterIt() throws Exception {
        try (var store = store(journal); var scope = ActorSystem.open("test")) {
            var accounts = open(scope, store);
            var answers = underWay(accounts, deposits(50));
            journal.commits.release(50);
            for (int i = 0; i < answers.size(); i++) {
                assertThat(Waits.on(answers.get(i))).isEqualTo(new Answer(i + 2, i + 1));
            }
            assertThat(journal.groups).hasSizeLessThanOrEqualTo(4).first().isEqualTo(List.of(1L));
            assertThat(journal.groups.stream().flatMap(List::stream)).hasSize(51).isSorted();
        }
    }

    @Test
    @Promise("63.5")
    void whatIsReadIsAnsweredWhenItIsDurable() throws Exception {
        try (var store = store(journal); var scope = ActorSystem.open("test")) {
            var accounts = open(scope, store);
            var answers =
                    underWay(accounts, List.of(Bank.deposit("a", 1), new Look("a"), Bank.deposit("a", 1)));
            journal.commits.release(5);
            assertThat(Waits.on(answers.get(1)).cents()).isEqualTo(2);
            assertThat(Waits.on(answers.get(2)).cents()).isEqualTo(3);
        }
    }

    @Test
    @Promise("63.5")
    void aFailureLeavesWhenWhatItHasSeenIsDurable() throws Exception {
        try (var store = store(journal); var scope = ActorSystem.open("test")) {
            var accounts = open(scope, store);
            var answers = underWay(accounts, List.of(Bank.deposit("a", 1), new Fail("a")));
            journal.commits.release(5);
            assertThat(Waits.failure(answers.get(1))).hasMessageContaining("on purpose");
            assertThat(Waits.on(accounts.sendMessageReturn(new Look("a"))).cents()).isEqualTo(2);
        }
    }

    @Test
    @Promise("65.2")
    void ifTheStoreFailsAllThatIsUnderWayFails() throws Exception {
        try (var store = store(journal); var scope = ActorSystem.open("test")) {
            var accounts = open(scope, store);
            var answers = underWay(accounts,
                    List.of(Bank.deposit("a", 1), Bank.deposit("a", 1), new Look("a"), new Fail("a")));
            journal.broken = true;
            journal.commits.release();
            for (var answer : answers) {
                assertThat(Waits.failure(answer)).hasMessageContaining("disk on fire");
            }
            journal.broken = false;
            journal.commits.release(10);
            assertThat(Waits.on(accounts.sendMessageReturn(new Look("a")))).isEqualTo(new Answer(1, 1));
            assertThat(Waits.on(accounts.sendMessageReturn(Bank.deposit("a", 1))))
                    .isEqualTo(new Answer(2, 1));
            assertThat(journal.groups).isEqualTo(List.of(List.of(1L), List.of(2L)));
        }
    }

    @Test
    @Promise("65.2")
    void turnsBehindAFencedOneAreNotWritten() throws Exception {
        try (var store = store(journal); var scope = ActorSystem.open("test")) {
            var accounts = open(scope, store);
            var answers = underWay(accounts, deposits(20));
            // The group that waits has some of them, and the next one has the others. Another process is first.
            var other = new Journal.Turn(new Journal.Id("accounts", "a"), 2, Instant.now(), new byte[0],
                    List.of(), new byte[0], List.of(), Set.of(), Optional.empty(), false);
            assertThat(journal.memory().commit(List.of(other)).get(0)).isTrue();
            journal.commits.release(20);
            for (var answer : answers) {
                assertThat(Waits.failure(answer)).isInstanceOf(FencedException.class);
            }
            assertThat(Waits.on(accounts.sendMessageReturn(new Look("a"))).cents()).isEqualTo(1);
            assertThat(Waits.on(accounts.sendMessageReturn(Bank.deposit("a", 1))))
                    .isEqualTo(new Answer(2, 2));
            assertThat(journal.load(List.of(other.id())).get(other.id()).turns())
                    .extracting(Journal.Turn::revision)
                    .containsExactly(1L, 2L, 3L);
        }
    }

    /** The turns that wait are dropped when the time of the store is over, while the handler of the next turn runs. */
    @Test
    @Promise({"64.2", "65.2"})
    void theTurnOfAHandlerThatRanWhileThoseBeforeItWereDroppedIsNotWritten() throws Exception {
        var time = new ManualTime();
        var limit = CommitOptions.defaults().limit();
        var goOn = new Semaphore(2);
        try (var store = DurableStore.of(journal, CommitOptions.defaults(),
                ActorSystem.configure("durable-store").time(time).open());
                var scope = ActorSystem.open("test")) {
            var accounts = Bank.durable(store).pipelined().idle(Bank.LONG).keyed(scope, Command.class,
                    Answer.class, Command::account, (self, command) -> {
                        handled.incrementAndGet();
                        goOn.acquire();
                        self.persist(new Bank.Deposited(1));
                        return new Answer(self.state().cents(), self.revision());
                    });
            var first = accounts.sendMessageReturn(new Look("a"));
            Waits.until("the first commit waits", journal.commits::hasQueuedThreads);
            var second = accounts.sendMessageReturn(new Look("a"));
            var third = accounts.sendMessageReturn(new Look("a"));
            var fourth = accounts.sendMessageReturn(new Look("a"));
            var fifth = accounts.sendMessageReturn(new Look("a"));
            journal.commits.release();
            Waits.on(first);
            Waits.until("the second commit waits",
                    () -> handled.get() == 3 && journal.commits.hasQueuedThreads());
            goOn.release();
            Waits.until("the third turn waits, and the fourth is handled",
                    () -> store.writes.waiting.size() == 1 && handled.get() == 4);
            time.advance(limit);
            time.advance(limit);
            assertThat(Waits.failure(second)).hasMessageContaining("has not answered");
            assertThat(Waits.failure(third)).hasMessageContaining("has not answered");
            goOn.release(2);
            Waits.until("the fourth turn waits", () -> store.writes.waiting.size() == 1);
            journal.commits.release(3);
            assertThat(Waits.failure(fourth)).hasMessageContaining("has not answered");
            assertThat(Waits.on(fifth)).as("the second turn was written after all")
                    .isEqualTo(new Answer(3, 2));
            assertThat(journal.groups).isEqualTo(List.of(List.of(1L), List.of(2L), List.of(3L)));
        }
    }

    @Test
    @Promise("63.5")
    void aRepeatedMessageIsAnsweredWhenTheFirstOneIsDurable() throws Exception {
        var same = new Bank.Deposit("a", 5, Optional.of("order 7"));
        try (var store = store(journal); var scope = ActorSystem.open("test")) {
            var accounts = open(scope, store);
            var first = accounts.sendMessageReturn(Bank.deposit("a", 1));
            Waits.until("the first commit waits", journal.commits::hasQueuedThreads);
            var answers = List.of(accounts.sendMessageReturn(same), accounts.sendMessageReturn(same),
                    accounts.sendMessageReturn(Bank.deposit("a", 1)));
            journal.commits.release();
            Waits.on(first);
            Waits.until("the others are handled", () -> handled.get() == 3);
            assertThat(answers).noneMatch(CompletableFuture::isDone);
            journal.commits.release(5);
            assertThat(Waits.on(answers.get(0))).isEqualTo(Waits.on(answers.get(1)));
            assertThat(Waits.on(answers.get(2)).cents()).isEqualTo(7);
        }
    }

    @Test
    @Promise("63.5")
    void turnsWithMessagesAndRemindersComeInTheirOrder() throws Exception {
        journal.commits.release(100);
        try (var store = store(journal); var scope = ActorSystem.open("test")) {
            var accounts = open(scope, store);
            var answers = new ArrayList<CompletableFuture<Answer>>();
            for (int i = 0; i < 10; i++) {
                answers.add(accounts.sendMessageReturn(Bank.deposit("a", 10)));
                answers.add(accounts.sendMessageReturn(new Transfer("a", "b", 1)));
                answers.add(
                        accounts.sendMessageReturn(new Bank.Later("a", Instant.now().plusSeconds(3600), 1)));
            }
            for (var answer : answers) {
                Waits.on(answer);
            }
            assertThat(Waits.on(accounts.sendMessageReturn(new Look("a"))).cents()).isEqualTo(90);
            Waits.until("what was sent has arrived", () -> cents(accounts, "b") == 10);
        }
    }

    @Test
    @Promise("63.5")
    void aFlushWaitsForTheTurnsBefore() throws Exception {
        try (var store = store(journal); var scope = ActorSystem.open("test")) {
            var durable = Bank.durable(store).pipelined();
            var flushed = new AtomicInteger();
            var accounts = durable.idle(Bank.LONG).keyed(scope, Command.class, Answer.class, Command::account,
                    (self, command) -> {
                        handled.incrementAndGet();
                        if (command instanceof Look) {
                            self.flush();
                            flushed.set(journal.groups.stream().mapToInt(List::size).sum());
                        } else {
                            self.persist(new Bank.Deposited(1));
                        }
                        return new Answer(self.state().cents(), self.revision());
                    });
            var answers =
                    underWay(accounts, List.of(Bank.deposit("a", 1), Bank.deposit("a", 1), new Look("a")));
            assertThat(flushed).hasValue(0);
            journal.commits.release(5);
            assertThat(Waits.on(answers.get(2)).cents()).isEqualTo(3);
            assertThat(flushed).hasValue(3);
        }
    }

    @Test
    @Promise("63.5")
    void withoutItNoMessageIsHandledBeforeTheOneBeforeIsWritten() throws Exception {
        try (var store = store(journal); var scope = ActorSystem.open("test")) {
            var accounts = Bank.open(scope, Bank.durable(store), Bank.LONG, handled);
            var answers = new ArrayList<CompletableFuture<Answer>>();
            deposits(5).forEach(command -> answers.add(accounts.sendMessageReturn(command)));
            for (int i = 1; i <= 5; i++) {
                int count = i;
                Waits.until("a commit waits",
                        () -> journal.commits.hasQueuedThreads() && handled.get() == count);
                journal.commits.release();
                Waits.on(answers.get(i - 1));
            }
            assertThat(journal.groups).hasSize(5);
        }
    }

    private static long cents(KeyedActors<String, Command, Answer> accounts, String account) {
        try {
            return Waits.on(accounts.sendMessageReturn(new Look(account))).cents();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
