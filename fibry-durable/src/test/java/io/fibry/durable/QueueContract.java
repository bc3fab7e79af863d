package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fibry.Actor;
import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.dump.DumpOptions;
import io.fibry.durable.DurableQueue.Receipt.State;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Slices;
import io.fibry.durable.Journal.Turn;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What a durable queue does with each journal. */
abstract class QueueContract extends JournalContract {
    private static final CommitOptions PATIENT = CommitOptions.defaults().limit(Duration.ofSeconds(60));

    public record Mail(String to, int number) {
    }

    public static final class Wrong extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static DurableQueue<Mail> queue(DurableStore store) {
        return DurableQueue.of(store, "mails", Mail.class).giveBackAfter(Duration.ofSeconds(1));
    }

    private static Map<String, Mail> mails(String to, int number) {
        var all = new LinkedHashMap<String, Mail>();
        for (int i = 0; i < number; i++) {
            all.put(to + i, new Mail(to, i));
        }
        return all;
    }

    private static void awaitState(DurableQueue<?> queue, String id, State state) {
        await(id + " is " + state,
                () -> queue.receipt(id).filter(receipt -> receipt.state() == state).isPresent());
    }

    private static void await(String what, Callable<Boolean> condition) {
        Waits.until(what, () -> {
            try {
                return condition.call();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    @Promise({"94.1", "94.5"})
    void workIsDoneAndItsIdCountsOnceAlsoInTheNextProcess() throws Exception {
        var done = new ConcurrentHashMap<String, AtomicInteger>();
        var all = mails("ann", 300);
        try (var store = DurableStore.of(open(), PATIENT); var scope = ActorSystem.open("mails")) {
            var queue = queue(store);
            assertThat(queue.receipt("ann0")).isEmpty();
            assertThat(queue.handIn("ann0", all.get("ann0"))).isTrue();
            assertThat(queue.handIn("ann0", new Mail("bob", 7))).isFalse();
            assertThat(queue.receipt("ann0")).contains(new DurableQueue.Receipt(State.WAITING, 0, "", ""));
            assertThat(queue.handIn(all, Instant.now())).hasSize(299).doesNotContain("ann0");
            assertThat(queue.keys().count("")).isEqualTo(300);
            queue.start(scope, 16, task -> {
                assertThat(task.work()).isEqualTo(all.get(task.id()));
                assertThat(task.attempt()).isOne();
                done.computeIfAbsent(task.id(), id -> new AtomicInteger()).incrementAndGet();
                task.progress("sent to " + task.work().to());
            });
            assertThatThrownBy(() -> queue.start(scope, 1, task -> {
            })).isInstanceOf(IllegalStateException.class).hasMessageContaining("mails");
            for (var id : all.keySet()) {
                awaitState(queue, id, State.DONE);
            }
            assertThat(queue.keys().list("ann29", "", 100)).hasSize(11);
            assertThat(atWork(store)).as("nothing is at work any more").isZero();
            compact(store.journal);
        }
        try (var store = DurableStore.of(open(), PATIENT); var scope = ActorSystem.open("next")) {
            var queue = queue(store);
            queue.start(scope, 16, task -> done.computeIfAbsent(task.id(), id -> new AtomicInteger())
                    .incrementAndGet());
            assertThat(queue.handIn(all, Instant.now())).isEmpty();
            assertThat(queue.receipt("ann7"))
                    .contains(new DurableQueue.Receipt(State.DONE, 0, "", "sent to ann"));
            assertThat(queue.handIn("last", new Mail("bob", 1))).isTrue();
            awaitState(queue, "last", State.DONE);
        }
        assertThat(done).hasSize(301).allSatisfy((id, times) -> assertThat(times).hasValue(1));
    }

    private static long atWork(DurableStore store) {
        await("nothing is at work", () -> queue(store).atWork().state().all().findAny().isEmpty());
        return store.figures().stream().filter(figure -> figure.name().equals("queue.working"))
                .mapToLong(figure -> (long) figure.value()).sum();
    }

    /** A tenant with much work is full, and its work comes first. */
    @Test
    @Promise("94.2")
    void limitsHoldInAllProcessesTogetherAndNoTenantHoldsUpAnother() throws Exception {
        var now = new ConcurrentHashMap<String, AtomicInteger>();
        var twice = ConcurrentHashMap.<String>newKeySet();
        var violations = new AtomicInteger();
        var hold = new CountDownLatch(1);
        var stores = new ArrayList<DurableStore>();
        try (var scope = ActorSystem.open("mails")) {
            stores.add(DurableStore.of(open(), PATIENT));
            if (stores.getFirst().isForManyProcesses()) {
                stores.add(DurableStore.of(open(), PATIENT));
            }
            var first = limited(stores.getFirst());
            first.handIn(mails("ann", 300), Instant.now());
            first.handIn(mails("bob", 40), Instant.now());
            first.handIn(mails("cid", 40), Instant.now());
            for (var store : stores) {
                limited(store).start(scope.child("node" + stores.indexOf(store)).open(), 3, task -> {
                    violations.addAndGet(twice.add(task.id()) ? 0 : 1);
                    int all = now.computeIfAbsent("all", name -> new AtomicInteger()).incrementAndGet();
                    int ofTenant = now.computeIfAbsent(task.work().to(), name -> new AtomicInteger())
                            .incrementAndGet();
                    violations.addAndGet(all > 4 || ofTenant > 2 ? 1 : 0);
                    if (task.work().to().equals("ann")) {
                        hold.await();
                    }
                    now.get(task.work().to()).decrementAndGet();
                    now.get("all").decrementAndGet();
                });
            }
            for (var id : mails("bob", 40).keySet()) {
                awaitState(first, id, State.DONE);
            }
            for (var id : mails("cid", 40).keySet()) {
                awaitState(first, id, State.DONE);
            }
            Waits.until("its places are taken", () -> now.get("ann").get() == 2); // more are a violation
            hold.countDown();
            for (var id : mails("ann", 300).keySet()) {
                awaitState(first, id, State.DONE);
            }
        } finally {
            stores.forEach(DurableStore::close);
        }
        assertThat(violations).hasValue(0);
        assertThat(twice).hasSize(380);
    }

    /** Each of them has more than a look reads, and of them all there is one place. */
    @Test
    @Promise("94.2")
    void tenantsWithMuchWorkTakeTurnsAndReceiptsGoMeanwhile() throws Exception {
        var order = new CopyOnWriteArrayList<String>();
        var first = new CompletableFuture<String>();
        var enough = new CountDownLatch(1);
        var hold = new CountDownLatch(1);
        try (var store = DurableStore.of(open(), PATIENT); var scope = ActorSystem.open("mails")) {
            var queue = queue(store).giveBackAfter(Duration.ofDays(1)).keepReceipts(Duration.ofMillis(1))
                    .atMostOfTenant(1_000, Mail::to);
            for (var tenant : List.of("ann", "bob", "cid")) {
                queue.handIn(mails(tenant, 150), Instant.now().minusSeconds(tenant.charAt(0)));
            }
            queue.start(scope, 1, task -> {
                order.add(task.work().to());
                first.complete(task.id());
                if (order.size() > 30) {
                    enough.countDown();
                    hold.await();
                }
            });
            enough.await();
            await("a receipt has gone", () -> queue.receipt(first.join()).isEmpty());
            hold.countDown();
        }
        for (int i = 0; i < 30; i++) {
            assertThat(order.get(i)).as("turn %d of %s", i, order)
                    .isEqualTo(List.of("ann", "bob", "cid").get(i % 3));
        }
    }

    /** Two of them have more than a look reads and fill all places, until one has an end. */
    @Test
    @Promise("94.2")
    void aTenantIsNotHeldUpByFullOnesThatHaveMore() throws Exception {
        var order = new CopyOnWriteArrayList<String>();
        var hold = new Semaphore(0);
        try (var store = DurableStore.of(open(), PATIENT); var scope = ActorSystem.open("mails")) {
            var queue = queue(store).giveBackAfter(Duration.ofDays(1)).atMostOfTenant(2, Mail::to);
            for (var tenant : List.of("ann", "bob", "cid")) {
                queue.handIn(mails(tenant, 150), Instant.now().minusSeconds(tenant.charAt(0)));
            }
            queue.start(scope, 4, task -> {
                order.add(task.work().to());
                hold.acquire();
            });
            for (int i = 4; i < 12; i++) {
                int begun = i;
                Waits.until(begun + " have begun", () -> order.size() == begun);
                hold.release();
            }
            Waits.until("all have begun", () -> order.size() == 12);
            hold.release(1_000);
        }
        assertThat(order.subList(0, 12)).contains("ann", "bob", "cid").filteredOn("cid"::equals)
                .hasSizeBetween(3, 5);
    }

    /** A claim is a commit, and there is more work than a look reads. */
    @Test
    @Promise("94.2")
    void manyPlacesAreTakenByFewClaims() throws Exception {
        var claims = new AtomicInteger();
        var journal = new ForwardingJournal(open()) {
            @Override
            public BitSet commit(List<Turn> turns) throws Exception {
                claims.addAndGet((int) turns.stream().filter(turn -> turn.id().key().isEmpty()).count());
                return super.commit(turns);
            }
        };
        var begun = new ConcurrentHashMap<String, AtomicInteger>();
        var all = new CountDownLatch(60);
        var hold = new CountDownLatch(1);
        try (var store = DurableStore.of(journal, PATIENT); var scope = ActorSystem.open("mails")) {
            var queue = queue(store).giveBackAfter(Duration.ofDays(1)).atMostOfTenant(1_000, Mail::to);
            for (var tenant : List.of("ann", "bob", "cid")) {
                queue.handIn(mails(tenant, 150), Instant.now().minusSeconds(tenant.charAt(0)));
            }
            queue.start(scope, 60, task -> {
                begun.computeIfAbsent(task.work().to(), to -> new AtomicInteger()).incrementAndGet();
                all.countDown();
                hold.await();
            });
            Waits.on(all);
            assertThat(claims).hasValue(1);
            assertThat(begun).hasSize(3).allSatisfy((to, number) -> assertThat(number).hasValue(20));
            hold.countDown();
        }
    }

    /** Nothing of thousands of tenants is due, apart from one with much work, and a look reads some names. */
    @Test
    @Promise("94.2")
    void tenantsWithoutWorkForNowCostNoReadEach() throws Exception {
        var reads = new AtomicInteger();
        var journal = new ForwardingJournal(open()) {
            @Override
            public List<Named> names(String group, String after, int most) throws Exception {
                reads.incrementAndGet();
                return super.names(group, after, most);
            }

            @Override
            public List<Reminder> dueByName(String group, String name, Instant until, int most)
                    throws Exception {
                reads.incrementAndGet();
                return super.dueByName(group, name, until, most);
            }
        };
        try (var store = DurableStore.of(journal, PATIENT); var scope = ActorSystem.open("mails")) {
            var queue = queue(store).giveBackAfter(Duration.ofDays(1)).atMostOfTenant(1, Mail::to);
            var later = new HashMap<String, Mail>();
            for (int i = 0; i < 3_000; i++) {
                later.put("later" + i, new Mail("t" + i, i));
            }
            queue.handIn(later, Instant.now().plus(Duration.ofDays(7)));
            queue.handIn(mails("ann", 150), Instant.now().minusSeconds(9));
            queue.handIn("last", new Mail("zoe", 1));
            var done = new CountDownLatch(1);
            var hold = new CountDownLatch(1);
            queue.start(scope, 2, task -> {
                if (task.id().equals("last")) {
                    done.countDown();
                } else {
                    hold.await();
                }
            });
            done.await();
            assertThat(reads).hasValueBetween(1, 100);
            hold.countDown();
        }
    }

    /** Each of many tenants has one task, which is at work, and one tenant has more than it may have there. */
    @Test
    @Promise("94.2")
    void tenantsWhoseWorkIsAllAtWorkCostFewReads() throws Exception {
        var reads = new AtomicInteger();
        var most = new AtomicInteger();
        var looks = new AtomicInteger();
        var journal = new ForwardingJournal(open()) {
            @Override
            public List<Reminder> due(String group, Slices slices, Instant until, int limit)
                    throws Exception {
                most.accumulateAndGet(reads.getAndSet(0), Math::max);
                looks.incrementAndGet();
                return super.due(group, slices, until, limit);
            }

            @Override
            public List<Reminder> dueByName(String group, String name, Instant until, int limit)
                    throws Exception {
                reads.incrementAndGet();
                return super.dueByName(group, name, until, limit);
            }
        };
        try (var store = DurableStore.of(journal, PATIENT); var scope = ActorSystem.open("mails")) {
            var queue = queue(store).giveBackAfter(Duration.ofDays(1)).atMostOfTenant(2, Mail::to);
            var each = new HashMap<String, Mail>();
            for (int i = 0; i < 300; i++) {
                each.put("each" + i, new Mail("t" + i, i));
            }
            queue.handIn(each, Instant.now());
            queue.handIn(mails("full", 300), Instant.now());
            var begun = new CountDownLatch(302);
            var hold = new CountDownLatch(1);
            queue.start(scope, 400, task -> {
                begun.countDown();
                hold.await();
            });
            Waits.on(begun);
            int before = looks.get();
            Waits.until("it has looked again", () -> looks.get() >= before + 3);
            hold.countDown();
            assertThat(most).hasValueBetween(1, 101);
        }
    }

    private static DurableQueue<Mail> limited(DurableStore store) {
        return queue(store).giveBackAfter(Duration.ofDays(1)).atMost(4).atMostOfTenant(2, Mail::to);
    }

    @Test
    @Promise({"94.3", "94.5", "91.1"})
    void whatFailsIsTriedAgainThenParkedAndSentAgainOrDropped() throws Exception {
        var wrong = new AtomicBoolean(true);
        var attempts = new ConcurrentHashMap<String, Integer>();
        try (var store = DurableStore.of(open(), PATIENT); var scope = ActorSystem.open("mails")) {
            var queue = queue(store).parkAfter(2, Wrong.class);
            queue.start(scope, 4, task -> {
                attempts.put(task.id(), task.attempt());
                if (task.id().equals("again") && task.attempt() == 1) {
                    task.progress("half");
                    throw new IllegalStateException("the mail server is away");
                }
                if (task.id().equals("again")) {
                    task.progress(task.progress() + " and half");
                } else if (wrong.get()) {
                    throw new Wrong();
                }
            });
            queue.handIn("again", new Mail("ann", 1));
            queue.handIn("parked", new Mail("ann", 2));
            queue.handIn("dropped", new Mail("ann", 3));
            awaitState(queue, "again", State.DONE);
            assertThat(queue.receipt("again").orElseThrow().progress()).isEqualTo("half and half");
            awaitState(queue, "parked", State.PARKED);
            awaitState(queue, "dropped", State.PARKED);
            assertThat(attempts).isEqualTo(Map.of("again", 2, "parked", 1, "dropped", 1));
            assertThat(queue.receipt("parked").orElseThrow().reason()).contains("Wrong");
            Waits.until("the dump has it",
                    () -> scope.dump(DumpOptions.defaults()).text().contains("parked: parked"));
            assertThat(scope.dump(DumpOptions.defaults()).text()).contains("Queue mails", "queue.working");
            assertThat(store.figures()).contains(new DurableStore.Figure("parked", "mails", 2));
            var parked = queue.keys().parked(Optional.empty(), 10);
            assertThat(parked).extracting(DurableKeys.Parked::key).containsExactly("dropped", "parked");
            assertThat(parked.getLast().message()).isEqualTo("Mail[to=ann, number=2]");
            wrong.set(false);
            assertThat(queue.keys().drop(parked.getFirst())).isTrue();
            assertThat(queue.keys().sendAgain(parked.getLast())).isTrue();
            awaitState(queue, "parked", State.DONE);
            awaitState(queue, "dropped", State.DROPPED);
            assertThat(attempts).containsEntry("parked", 1).containsEntry("dropped", 1);
        }
    }

    @Test
    @Promise("94.3")
    void aTaskThatCannotBeMadeIsParked() throws Exception {
        Fragile.BREAKS.set(false);
        try (var store = DurableStore.of(open(), PATIENT); var scope = ActorSystem.open("mails")) {
            var queue = DurableQueue.of(store, "mails", Fragile.class).parkAfter(1);
            queue.handIn("one", new Fragile("x"));
            Fragile.BREAKS.set(true);
            queue.start(scope, 1, task -> {
            });
            awaitState(queue, "one", State.PARKED);
            assertThat(queue.receipt("one").orElseThrow().reason()).contains("StackOverflowError");
            assertThat(queue.keys().parked(Optional.empty(), 10)).singleElement()
                    .extracting(DurableKeys.Parked::message).asString().contains("cannot be read");
        } finally {
            Fragile.BREAKS.set(false);
        }
    }

    @Test
    @Promise({"94.3", "94.5"})
    void workIsNotDoneBeforeItsTimeAndItsReceiptGoesWhileItsIdStays() throws Exception {
        try (var store = DurableStore.of(open(), PATIENT); var scope = ActorSystem.open("mails")) {
            var queue = queue(store).keepReceipts(Duration.ofMillis(1));
            var at = Instant.now().plusMillis(1_500);
            var doneAt = new CompletableFuture<Instant>();
            queue.start(scope, 1, task -> doneAt.complete(Instant.now()));
            queue.handIn(Map.of("later", new Mail("ann", 1)), at);
            queue.handIn(Map.of("much later", new Mail("ann", 2)), at.plus(Duration.ofHours(1)));
            assertThat(Waits.on(doneAt))
                    .isAfterOrEqualTo(at.truncatedTo(ChronoUnit.MILLIS));
            await("the receipt has gone", () -> queue.receipt("later").isEmpty());
            assertThat(queue.receipt("much later").orElseThrow().state()).isEqualTo(State.WAITING);
            assertThat(queue.keys().count("")).isOne();
            assertThat(queue.handIn("later", new Mail("ann", 1))).isFalse();
        }
    }

    /** As if the process was killed: it writes nothing from a moment on. */
    private static class Dying extends ForwardingJournal {
        volatile boolean isDead;

        Dying(Journal journal) {
            super(journal);
        }

        @Override
        public BitSet commit(List<Turn> turns) throws Exception {
            if (isDead) {
                throw new IOException("the process is dead");
            }
            return super.commit(turns);
        }

        @Override
        public Map<Id, Loaded> load(Collection<Id> ids) throws Exception {
            if (isDead) {
                throw new IOException("the process is dead");
            }
            return super.load(ids);
        }
    }

    @Test
    @Promise({"94.4", "94.5"})
    void whatADeadProcessHadAtWorkIsDoneByAnotherOneAndTheAttemptCounts() throws Exception {
        var journal = new Dying(open());
        var begun = new CountDownLatch(1);
        var dead = new CountDownLatch(1);
        try (var store = DurableStore.of(journal, PATIENT); var scope = ActorSystem.open("dead")) {
            var queue = queue(store);
            queue.handIn("one", new Mail("ann", 1));
            queue.start(scope, 1, task -> {
                task.progress("half");
                begun.countDown();
                dead.await();
            });
            begun.await();
            assertThat(queue.receipt("one").orElseThrow().state()).isEqualTo(State.AT_WORK);
            journal.isDead = true;
            dead.countDown();
        }
        try (var store = DurableStore.of(open(), PATIENT); var scope = ActorSystem.open("next")) {
            var queue = queue(store);
            queue.start(scope, 1, task -> task.progress(task.progress() + " in attempt " + task.attempt()));
            awaitState(queue, "one", State.DONE);
            assertThat(queue.receipt("one").orElseThrow().progress()).isEqualTo("half in attempt 2");
        }
    }

    /** It was killed before it had taken the work out of what is at work. */
    @Test
    @Promise("94.4")
    void anAttemptCountsOnceThatItsProcessHadWrittenAsFailedBeforeItDied() throws Exception {
        var journal = new Dying(open()) {
            @Override
            public BitSet commit(List<Turn> turns) throws Exception {
                var written = super.commit(turns);
                isDead |= turns.stream().flatMap(turn -> turn.reminders().stream())
                        .anyMatch(reminder -> reminder.tries().failed() == 1);
                return written;
            }
        };
        try (var store = DurableStore.of(journal, PATIENT); var scope = ActorSystem.open("dead")) {
            queue(store).handIn("one", new Mail("ann", 1));
            queue(store).start(scope, 1, task -> {
                throw new IllegalStateException("the mail server is away");
            });
            Waits.until("the process is dead", () -> journal.isDead);
        }
        var attempts = new ArrayList<Integer>();
        try (var store = DurableStore.of(open(), PATIENT); var scope = ActorSystem.open("next")) {
            await("the next attempt is due",
                    () -> !store.read(of -> of.due("mails", Slices.ALL, Instant.now(), 1)).isEmpty());
            var queue = queue(store).parkAfter(2);
            queue.start(scope, 1, task -> attempts.add(task.attempt()));
            awaitState(queue, "one", State.DONE);
        }
        assertThat(attempts).containsExactly(2);
    }

    @Test
    @Promise("94.2")
    @Tag("thorough")
    void asMuchIsAtWorkAsTheLargestLimitSaysAlsoWithTheLongestNames() throws Exception {
        var all = new HashMap<String, Mail>();
        for (int i = 0; i < 1_000; i++) {
            all.put("\u20ac".repeat(508) + (1_000 + i), new Mail("ann", i));
        }
        var begun = new CountDownLatch(1_000);
        try (var store = DurableStore.of(open(), PATIENT); var scope = ActorSystem.open("mails")) {
            var queue = queue(store).giveBackAfter(Duration.ofDays(1)).atMostOfTenant(1_000,
                    mail -> "\u20ac".repeat(255));
            queue.handIn(all, Instant.now());
            queue.start(scope, 1_000, task -> {
                begun.countDown();
                begun.await();
            });
            Waits.on(begun);
        }
    }

    /** Both processes are alive, and one does not reach the store for a while. */
    @Test
    @Promise("94.4")
    void whatAProcessThatWasCutOffComesToDoesNotCount() throws Exception {
        var journal = new Dying(open());
        if (!journal.isForManyProcesses()) {
            journal.close();
            return;
        }
        var begun = new CountDownLatch(1);
        var interrupted = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var attempts = new ConcurrentHashMap<String, Integer>();
        try (var store = DurableStore.of(journal, PATIENT);
                var other = DurableStore.of(open(), PATIENT);
                var scope = ActorSystem.open("cut");
                var next = ActorSystem.open("next")) {
            queue(store).handIn("one", new Mail("ann", 1));
            queue(store).start(scope, 1, task -> {
                attempts.merge(task.id(), 1, Integer::sum);
                if (task.id().equals("one") && task.attempt() == 1) {
                    begun.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        interrupted.countDown();
                        goOn.await();
                    }
                    task.progress("by the one that was cut off");
                }
            });
            begun.await();
            journal.isDead = true;
            interrupted.await();
            queue(other).start(next, 1, task -> {
                attempts.merge(task.id(), 1, Integer::sum);
                task.progress("by the other one");
            });
            awaitState(queue(other), "one", State.DONE);
            journal.isDead = false;
            goOn.countDown();
            queue(other).handIn("two", new Mail("ann", 2));
            awaitState(queue(other), "two", State.DONE);
            assertThat(queue(other).receipt("one").orElseThrow().progress()).isEqualTo("by the other one");
            // Of two that are alive, one that stands still for a second loses what it does: so "two" may be done twice.
            assertThat(attempts).containsEntry("one", 2);
        }
    }

    @Test
    @Promise("94.6")
    void whatIsAtWorkEndsOrIsGivenBackWhenTheQueueStops() throws Exception {
        var begun = new CountDownLatch(2);
        var started = new CompletableFuture<Actor<?, ?>>();
        try (var store = DurableStore.of(open(), PATIENT); var scope = ActorSystem.open("mails")) {
            var queue = queue(store).giveBackAfter(Duration.ofDays(1));
            var works = queue.start(scope, 2, task -> {
                begun.countDown();
                if (task.id().equals("ends")) {
                    var actor = started.join();
                    Waits.until("the queue stops", () -> actor.state() == ActorState.STOPPING);
                } else {
                    new CountDownLatch(1).await();
                }
            });
            started.complete(works);
            queue.handIn("ends", new Mail("ann", 1));
            queue.handIn("stays", new Mail("ann", 2));
            begun.await();
            queue.handIn("waits", new Mail("ann", 3));
            works.stop(Duration.ofSeconds(5));
            Waits.on(works.onStopped()); // what it gives back may be written later than the stop waits
            assertThat(queue.receipt("ends").orElseThrow().state()).isEqualTo(State.DONE);
            assertThat(queue.receipt("stays").orElseThrow().state()).isEqualTo(State.WAITING);
            assertThat(atWork(store)).isZero();
            var attempts = new ConcurrentHashMap<String, Integer>();
            queue.start(scope, 2, task -> attempts.put(task.id(), task.attempt()));
            awaitState(queue, "stays", State.DONE);
            awaitState(queue, "waits", State.DONE);
            assertThat(attempts).as("the attempt did not count").isEqualTo(Map.of("stays", 1, "waits", 1));
        }
    }

    /** The store has the claim, and the worker does not hear of it: it stops, or looks again. */
    @Test
    @Promise("94.6")
    void whatWasClaimedAndHasNotBegunIsGivenBack() throws Exception {
        var onClaim = new AtomicReference<Optional<Runnable>>(Optional.empty());
        var journal = new ForwardingJournal(open()) {
            @Override
            public BitSet commit(List<Turn> turns) throws Exception {
                var written = super.commit(turns);
                if (turns.stream().anyMatch(turn -> turn.id().key().isEmpty())) {
                    var claim = onClaim.getAndSet(Optional.empty());
                    if (claim.isPresent()) {
                        claim.get().run();
                        throw new IllegalStateException("the answer is lost, on purpose");
                    }
                }
                return written;
            }
        };
        var attempts = new ConcurrentHashMap<String, Integer>();
        try (var store = DurableStore.of(journal, PATIENT); var scope = ActorSystem.open("mails")) {
            var queue = queue(store).giveBackAfter(Duration.ofDays(1));
            var first = queue.start(scope, 1, task -> attempts.put(task.id(), task.attempt()));
            onClaim.set(Optional.of(first::askExit));
            queue.handIn("one", new Mail("ann", 1));
            Waits.on(first.onStopped());
            assertThat(atWork(store)).isZero();
            onClaim.set(Optional.of(() -> {
            }));
            queue.start(scope, 1, task -> attempts.put(task.id(), task.attempt()));
            awaitState(queue, "one", State.DONE);
            assertThat(attempts).as("no attempt has failed").isEqualTo(Map.of("one", 1));
        }
    }

    /** The store has a turn of the task, and its thread does not hear of it. */
    @Test
    @Promise("94.3")
    void anAttemptCountsWhoseTurnsWereWrittenAlthoughTheStoreHasFailed() throws Exception {
        var lost = ConcurrentHashMap.<Long>newKeySet();
        var journal = new ForwardingJournal(open()) {
            @Override
            public BitSet commit(List<Turn> turns) throws Exception {
                var written = super.commit(turns);
                for (var turn : turns) {
                    if (turn.id().key().equals("one") && turn.revision() > 1 && lost.add(turn.revision())) {
                        throw new IOException("the answer is lost, on purpose");
                    }
                }
                return written;
            }
        };
        var attempts = new CopyOnWriteArrayList<String>();
        var lines = new ListAppender<ILoggingEvent>();
        var log = (Logger) LoggerFactory.getLogger(QueueWorker.class);
        lines.start();
        log.addAppender(lines);
        try (var store = DurableStore.of(journal, PATIENT); var scope = ActorSystem.open("mails")) {
            var queue = queue(store).giveBackAfter(Duration.ofDays(1));
            queue.start(scope, 1, task -> {
                attempts.add(task.attempt() + task.progress());
                if (task.attempt() == 1) {
                    task.progress("half");
                }
            });
            queue.handIn("one", new Mail("ann", 1));
            awaitState(queue, "one", State.DONE);
            assertThat(attempts).containsExactly("1", "2half");
            // The end can be read before the thread of the store, which has written it, has noted that its answer is lost.
            await("the answers of progress, of the failure and of the end are lost",
                    () -> lost.equals(Set.of(2L, 3L, 4L)));
            assertThat(atWork(store)).isZero();
            assertThat(lines.list).extracting(ILoggingEvent::getFormattedMessage)
                    .noneMatch(line -> line.contains("taken from this process"));
        } finally {
            log.detachAppender(lines);
        }
    }

    /** A time of the user reaches the store, which has milliseconds, or is refused before. */
    @Test
    @Promise("94.1")
    void theLongestTimesCanBeSet() throws Exception {
        var forever = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
        try (var store = DurableStore.of(open(), new CommitOptions(Duration.ofDays(1)));
                var scope = ActorSystem.open("mails")) {
            var accounts =
                    Bank.open(scope, Bank.durable(store).ids(forever).keepHistory(forever).idle(forever),
                            forever, new AtomicInteger());
            var deposit = new Bank.Deposit("ann", 1, Optional.of("id"));
            Waits.on(accounts.sendMessageReturn(deposit));
            assertThat(Waits.on(accounts.sendMessageReturn(deposit)).cents()).isOne();
            store.compaction.run(Duration.ZERO);
            var queue = queue(store).giveBackAfter(forever).keepReceipts(forever);
            queue.start(scope, 1, task -> {
            });
            assertThat(queue.handIn("one", new Mail("ann", 1))).isTrue();
            awaitState(queue, "one", State.DONE);
        }
    }

    @Test
    @Promise("94.1")
    void whatCannotBeIsRefused() throws Exception {
        try (var store = DurableStore.of(open(), PATIENT); var scope = ActorSystem.open("mails")) {
            var queue = queue(store);
            assertThatThrownBy(() -> queue.handIn("", new Mail("ann", 1)))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("mails");
            assertThatThrownBy(() -> queue.handIn("x".repeat(513), new Mail("ann", 1)))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("513");
            for (var never : List.of(Instant.MAX, Instant.MIN)) {
                assertThatThrownBy(() -> queue.handIn(Map.of("one", new Mail("ann", 1)), never))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("the task one of mails")
                        .hasMessageContaining(never.toString());
            }
            assertThat(queue.receipt("one")).isEmpty();
            assertThatThrownBy(() -> queue.keys().delete("")).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("mails");
            assertThatThrownBy(() -> queue.keys().erase("")).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("mails");
            assertThatThrownBy(() -> queue.keys().list("\0", "", 9))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("\\u0000");
            assertThatThrownBy(() -> queue.keys().list("", "\ud800", 9))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("\\ud800");
            assertThatThrownBy(() -> queue.atMost(0)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("not 0");
            assertThatThrownBy(() -> queue.giveBackAfter(Duration.ofMillis(3)))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("PT0.003S");
            assertThatThrownBy(() -> queue.start(scope, 1_001, task -> {
            })).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("1001");
        }
    }
}
