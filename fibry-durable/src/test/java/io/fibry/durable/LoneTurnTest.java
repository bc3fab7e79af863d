package io.fibry.durable;

import static io.fibry.durable.Bank.deposit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.ActorException;
import io.fibry.ActorSystem;
import io.fibry.FailurePolicy;
import io.fibry.durable.Bank.Answer;
import io.fibry.durable.Bank.Command;
import io.fibry.durable.Bank.Look;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Turn;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Turns that are written by the threads of their actors, since nothing else is to be written. */
@Timeout(60)
class LoneTurnTest {
    private static final CommitOptions PATIENT = CommitOptions.defaults().limit(Duration.ofSeconds(30));

    private final TestJournal journal = new TestJournal();

    private static final class TestJournal extends ForwardingJournal {
        /** The threads that have begun to write while it is held. */
        final BlockingQueue<Thread> writing = new LinkedBlockingQueue<>();
        final BlockingQueue<List<String>> written = new LinkedBlockingQueue<>();
        final Semaphore goOn = new Semaphore(0);
        volatile boolean held;
        volatile boolean breaksAfterwards;

        @Override
        public BitSet commit(List<Turn> turns) throws Exception {
            if (held) {
                writing.add(Thread.currentThread());
                goOn.acquire();
                written.add(turns.stream().map(turn -> turn.id().key()).sorted().toList());
            }
            var bits = super.commit(turns);
            if (breaksAfterwards) {
                breaksAfterwards = false;
                throw new IllegalStateException("connection cut");
            }
            return bits;
        }

        void release() {
            held = false;
            goOn.release(100);
        }
    }

    @BeforeEach
    void thereAreTwoProcessors() {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1,
                "with one processor no actor writes itself");
    }

    /** Lets an actor write until the next turn is to be written by the thread of its actor. */
    private static void writeAlone(DurableStore store, KeyedActors<String, Command, Answer> accounts)
            throws Exception {
        do {
            Waits.on(accounts.sendMessageReturn(deposit("alone", 1)));
        } while (!store.isLone());
    }

    @Test
    @Promise("63.1")
    void theThreadOfAnActorWritesItsTurnAndTheOthersShareTheNextCommit() throws Exception {
        try (var store = DurableStore.of(journal, PATIENT); var scope = ActorSystem.open("test")) {
            var accounts = Bank.open(scope, store);
            writeAlone(store, accounts);
            journal.held = true;
            var first = accounts.sendMessageReturn(deposit("a", 1));
            assertThat(journal.writing.take()).matches(Thread::isVirtual);
            assertThat(first).isNotDone();
            var others = Stream.of("b", "c", "d")
                    .map(account -> accounts.sendMessageReturn(deposit(account, 1))).toList();
            Waits.until("the others wait", () -> store.writes.waiting.size() == 3);
            journal.goOn.release();
            assertThat(Waits.on(first)).isEqualTo(new Answer(1, 0));
            assertThat(journal.writing.take()).as("the store's own").matches(thread -> !thread.isVirtual());
            assertThat(others).noneMatch(answer -> answer.isDone());
            journal.release();
            for (var other : others) {
                assertThat(Waits.on(other)).isEqualTo(new Answer(1, 0));
            }
            assertThat(journal.written).containsExactly(List.of("a"), List.of("b", "c", "d"));
        }
    }

    @Test
    @Promise("65.2")
    void anActorThatIsHeldUpByTheStoreFailsItsAskAfterTheLimitAllTheSame() throws Exception {
        var time = new ManualTime();
        var limit = Duration.ofSeconds(1);
        try (var store = DurableStore.of(journal, CommitOptions.defaults().limit(limit),
                ActorSystem.configure("durable-store").time(time).open());
                var scope = ActorSystem.open("test")) {
            var accounts = Bank.open(scope, store);
            writeAlone(store, accounts);
            journal.held = true;
            var first = accounts.sendMessageReturn(deposit("a", 1));
            assertThat(journal.writing.take()).matches(Thread::isVirtual);
            time.advance(limit);
            assertThat(Waits.failure(first)).isInstanceOf(ActorException.class)
                    .hasMessageContaining("has not answered");
            var second = accounts.sendMessageReturn(deposit("b", 1));
            Waits.until("the second one waits", () -> store.writes.waiting.size() == 1);
            time.advance(limit);
            assertThat(Waits.failure(second)).hasMessageContaining("has not answered");
            journal.release();
            assertThat(Waits.on(accounts.sendMessageReturn(new Look("a")))).as("it was written later")
                    .isEqualTo(new Answer(1, 1));
            assertThat(Waits.on(accounts.sendMessageReturn(deposit("a", 1)))).isEqualTo(new Answer(2, 1));
        }
    }

    /** The actor goes on, also in a scope that makes another one: it knows the turn. */
    @Test
    @Promise("65.2")
    void theNextMessageWaitsForATurnThatWasLate() throws Exception {
        var time = new ManualTime();
        var limit = Duration.ofSeconds(1);
        try (var store = DurableStore.of(journal, CommitOptions.defaults().limit(limit),
                ActorSystem.configure("durable-store").time(time).open());
                var scope = ActorSystem.configure("test").onFailure(FailurePolicy.restart()).open()) {
            var accounts = Bank.open(scope, store);
            journal.held = true;
            var late = accounts.sendMessageReturn(deposit("a", 1));
            journal.writing.take();
            time.advance(limit);
            assertThat(Waits.failure(late)).hasMessageContaining("has not answered");
            var next = accounts.sendMessageReturn(new Look("a"));
            Waits.until("it waits", () -> next.isDone() || store.writes.waiting.size() == 1);
            journal.release();
            assertThat(Waits.on(next)).isEqualTo(new Answer(1, 1));
        }
    }

    /** The actor has ended, since no message came: the next one reads the state. */
    @Test
    @Promise("65.2")
    void soDoesThatOfTheNextActor() throws Exception {
        var time = new ManualTime();
        var limit = Duration.ofSeconds(1);
        try (var store = DurableStore.of(journal, CommitOptions.defaults().limit(limit),
                ActorSystem.configure("durable-store").time(time).open());
                var scope = ActorSystem.open("test")) {
            var accounts = Bank.open(scope, Bank.durable(store), Duration.ofMillis(1),
                    new AtomicInteger());
            journal.held = true;
            var late = accounts.sendMessageReturn(deposit("a", 1));
            journal.writing.take();
            time.advance(limit);
            assertThat(Waits.failure(late)).hasMessageContaining("has not answered");
            Waits.until("its actor has ended", () -> accounts.live() == 0);
            var next = accounts.sendMessageReturn(new Look("a"));
            Waits.until("it waits", () -> next.isDone() || store.writes.waiting.size() == 1);
            journal.release();
            assertThat(Waits.on(next)).isEqualTo(new Answer(1, 1));
        }
    }

    @Test
    @Promise({"64.2", "65.2"})
    void itIsFencedAndItsFailuresAreReadAgain() throws Exception {
        try (var store = DurableStore.of(journal, PATIENT); var scope = ActorSystem.open("test")) {
            var accounts = Bank.open(scope, store);
            Waits.on(accounts.sendMessageReturn(deposit("a", 1)));
            writeAlone(store, accounts);
            var other = new Turn(new Id("accounts", "a"), 2, Instant.now(), new byte[0], List.of(),
                    new byte[0], List.of(), Set.of(), Optional.empty(), false);
            assertThat(journal.memory().commit(List.of(other)).get(0)).isTrue();
            assertThat(Waits.failure(accounts.sendMessageReturn(deposit("a", 1))))
                    .isInstanceOf(FencedException.class);
            assertThat(Waits.on(accounts.sendMessageReturn(deposit("a", 1)))).isEqualTo(new Answer(2, 2));
            writeAlone(store, accounts);
            journal.breaksAfterwards = true;
            assertThat(Waits.failure(accounts.sendMessageReturn(deposit("a", 1))))
                    .isInstanceOf(ActorException.class).hasMessageContaining("connection cut");
            assertThat(Waits.on(accounts.sendMessageReturn(new Look("a")))).as("it had been written")
                    .isEqualTo(new Answer(3, 4));
        }
    }

    /** What is chained to the answer may wait for another turn. */
    @Test
    @Promise("65.2")
    void itsFailureHoldsUpNoOtherTurn() throws Exception {
        try (var store = DurableStore.of(journal, PATIENT); var scope = ActorSystem.open("test")) {
            var accounts = Bank.open(scope, store);
            writeAlone(store, accounts);
            journal.held = true;
            var next = accounts.sendMessageReturn(deposit("a", 1)).exceptionally(failed -> {
                try {
                    return accounts.sendMessageReturn(deposit("b", 1)).get();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThat(journal.writing.take()).matches(Thread::isVirtual);
            journal.breaksAfterwards = true;
            journal.release();
            assertThat(Waits.on(next)).isEqualTo(new Answer(1, 0));
        }
    }

    @Test
    @Promise("63.1")
    void theEventsOfATurnAreOneRow() throws Exception {
        try (var store = DurableStore.of(journal, PATIENT); var scope = ActorSystem.open("test")) {
            var accounts = Bank.open(scope, store);
            assertThat(Waits.on(accounts.sendMessageReturn(new Bank.Twice("a", 1))))
                    .isEqualTo(new Answer(2, 0));
            var id = new Id("accounts", "a");
            assertThat(journal.load(List.of(id)).get(id).turns()).extracting(Turn::revision)
                    .containsExactly(1L);
        }
    }

    @Test
    @Promise("63.1")
    void whatItSendsLeavesAfterItsCommit() throws Exception {
        try (var store = DurableStore.of(journal, PATIENT); var scope = ActorSystem.open("test")) {
            var accounts = Bank.open(scope, store);
            writeAlone(store, accounts);
            journal.held = true;
            var sent = accounts.sendMessageReturn(new Bank.Transfer("a", "b", 5));
            assertThat(journal.writing.take()).matches(Thread::isVirtual);
            assertThat(Waits.on(accounts.sendMessageReturn(new Look("b"))).cents()).isZero();
            journal.release();
            Waits.on(sent);
            Waits.until("the money has arrived", () -> {
                try {
                    return Waits.on(accounts.sendMessageReturn(new Look("b"))).cents() == 5;
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
        }
    }
}
