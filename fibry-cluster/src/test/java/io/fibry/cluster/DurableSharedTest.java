package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.cluster.DurableNodes.Member;
import io.fibry.durable.AccountModel;
import io.fibry.durable.Bank;
import io.fibry.durable.Bank.Answer;
import io.fibry.durable.Bank.Command;
import io.fibry.durable.Bank.Deposit;
import io.fibry.durable.Bank.Later;
import io.fibry.durable.Bank.Look;
import io.fibry.durable.Bank.Transfer;
import io.fibry.durable.CommitOptions;
import io.fibry.durable.Durable;
import io.fibry.durable.DurableStore;
import io.fibry.durable.ForwardingJournal;
import io.fibry.durable.Journal;
import io.fibry.durable.Journal.Position;
import io.fibry.durable.Journal.Slices;
import io.fibry.event.Undelivered.Cause;
import io.fibry.keyed.KeyedActors;
import io.fibry.test.History;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.Schedule;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Durable actors that nodes of one process share, on a network and with logs in memory. */
@Timeout(120)
class DurableSharedTest {
    private static final Duration LIMIT = Duration.ofSeconds(2);
    private static final int STEPS = 9;
    private static final int KEYS_OF_TEXTS = 20;
    private static final ClusterGroup<String, String, String> TEXTS =
            ClusterGroup.of("texts", String.class, String.class, String.class, text -> text.split(" ")[0]);
    private static final Instant FAR = Instant.parse("9999-01-01T00:00:00Z");

    private final DurableNodes nodes = new DurableNodes();
    private final Journal logs = new ForwardingJournal();

    @AfterEach
    void close() {
        nodes.close();
    }

    private static long ask(KeyedActors<String, Command, Answer> accounts, Command command) throws Exception {
        return Waits.on(accounts.sendMessageReturn(command)).cents();
    }

    /** Waits until a node is the home of all keys, or of none. */
    private static void awaitSlices(Member member, boolean all) {
        soon().until(() -> {
            int here = 0;
            for (int key = 0; key < 40; key++) {
                ask(member.accounts, new Look("k" + key));
                here += member.accounts.find("k" + key).isPresent() ? 1 : 0;
            }
            return all ? here == 40 : here == 0;
        });
    }

    // ---- Acknowledged values. ----

    /** Nodes come, go, die and are cut off until all clients are done. */
    private void disturb(List<Member> alive, SplittableRandom random, AtomicBoolean isOver,
            Function<String, Member> next, AtomicInteger steps) {
        while (!isOver.get()) {
            int step = steps.incrementAndGet();
            int before = nodes.handled.get();
            soon().until(() -> isOver.get() || nodes.handled.get() > before + 100);
            var victim = alive.get(random.nextInt(alive.size()));
            switch (step % 4) {
                case 0 -> {
                    alive.remove(victim);
                    victim.kill();
                }
                case 1 -> {
                    alive.remove(victim);
                    victim.close();
                }
                case 2 -> {
                    nodes.network.cut(victim.node.engine);
                    soon().until(() -> !victim.node.cluster.serves());
                    nodes.network.heal();
                    soon().until(() -> victim.node.cluster.serves());
                }
                default -> alive.add(next.apply("n" + step));
            }
            while (alive.size() < 3) {
                alive.add(next.apply("m" + step + alive.size()));
            }
        }
    }

    private static Command command(int client, int call, AccountModel.Call what) {
        return what.cents() == 0 ? new Look(what.account())
                : new Deposit(what.account(), what.cents(), Optional.of(client + "/" + call));
    }

    /** Asks any node, again and again, until there is an answer. */
    private static long repeated(List<Member> alive, SplittableRandom random, Command command)
            throws InterruptedException {
        while (true) {
            var here = alive.get(random.nextInt(alive.size())).accounts;
            try {
                return here.ask(command, LIMIT).get().cents();
            } catch (ExecutionException | IllegalStateException again) {
                // The node has left, is cut off, or was lost. The command has an id.
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Promise({"85.1", "85.3"})
    void theAnswersAreThoseOfOneAccountForEachKeyWhileNodesComeGoDieAndAreCutOff(boolean pipelined)
            throws Exception {
        Function<String, Member> next =
                name -> nodes.open(name, logs, options -> {
                    var fenced = options.confirmReads().snapshotEvery(5);
                    return pipelined ? fenced.pipelined() : fenced;
                });
        var history = new History<AccountModel.Call, Long>();
        var alive = new CopyOnWriteArrayList<Member>();
        for (var name : List.of("a", "b", "c")) {
            alive.add(next.apply(name));
        }
        var isOver = new AtomicBoolean();
        var steps = new AtomicInteger();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var disturber =
                    threads.submit(() -> disturb(alive, new SplittableRandom(1), isOver, next, steps));
            var clients = new ArrayList<Future<?>>();
            for (int i = 0; i < 8; i++) {
                int client = i;
                clients.add(threads.submit(() -> {
                    var random = new SplittableRandom(client);
                    for (int call = 0; call < 60 || steps.get() < STEPS; call++) {
                        var what = new AccountModel.Call("k" + random.nextInt(12), random.nextInt(3));
                        var command = command(client, call, what);
                        history.record(what, () -> repeated(alive, random, command));
                    }
                    return null;
                }));
            }
            for (var client : clients) {
                client.get();
            }
            isOver.set(true);
            Waits.on(disturber);
        }
        history.assertLinearizable(new AccountModel());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Promise("85.1")
    void whileNodesComeAndLeaveNoAskFails(boolean pipelined) throws Exception {
        // So that turns are under way when their slice moves.
        var slow = new ForwardingJournal(logs) {
            @Override
            public BitSet commit(List<Turn> turns) throws Exception {
                Thread.sleep(3);
                return super.commit(turns);
            }
        };
        Function<String, Member> next =
                name -> nodes.open(name, slow, options -> pipelined ? options.pipelined() : options);
        var first = next.apply("a");
        var asked = new ConcurrentLinkedQueue<CompletableFuture<Answer>>();
        var isOver = new AtomicBoolean();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 3; i++) {
                var key = "k" + i;
                threads.submit(() -> {
                    while (!isOver.get()) {
                        for (int call = 0; call < 20; call++) {
                            asked.add(first.accounts.sendMessageReturn(Bank.deposit(key, 1)));
                        }
                        Waits.on(first.accounts.sendMessageReturn(new Look(key)));
                    }
                    return null;
                });
            }
            for (int step = 0; step < 5; step++) {
                var other = next.apply("b" + step);
                int before = nodes.handled.get();
                soon().until(() -> nodes.handled.get() > before + 200);
                other.close();
            }
            isOver.set(true);
        }
        for (var each : asked) {
            assertThat(Waits.on(each).cents()).isPositive();
        }
        long sum = ask(first.accounts, new Look("k0")) + ask(first.accounts, new Look("k1"))
                + ask(first.accounts, new Look("k2"));
        assertThat(sum).isEqualTo(asked.size());
    }

    // ---- Outboxes. ----

    /** The logs as one node reaches them, which has read the messages and the reminders of these slices. */
    private final class Watched extends ForwardingJournal {
        private volatile Slices messages = new Slices(1, Set.of());
        private volatile Slices reminders = new Slices(1, Set.of());

        Watched() {
            super(logs);
        }

        @Override
        public List<Turn> unsent(String group, Slices slices, Position after, int most) throws Exception {
            messages = slices;
            return super.unsent(group, slices, after, most);
        }

        @Override
        public List<Reminder> due(String group, Slices slices, Instant until, int most) throws Exception {
            reminders = slices;
            return super.due(group, slices, until, most);
        }
    }

    @Test
    @Promise("85.1")
    void eachNodeReadsWhatIsOfItsOwnSlicesAlone() throws Exception {
        var here = new Watched();
        var there = new Watched();
        var first = nodes.open("a", here);
        soon().until(() -> here.messages.numbers().size() == TestNode.SLICES
                && here.reminders.numbers().size() == TestNode.SLICES);
        nodes.open("b", there);
        soon().until(() -> there.messages.numbers().size() == 8 && there.reminders.numbers().size() == 8);
        // Now the first node reads again, since a slice comes back to it.
        nodes.network.cut(first.node.engine);
        soon().until(() -> !first.node.cluster.serves());
        nodes.network.heal();
        soon().until(() -> here.messages.numbers().size() == 8 && here.reminders.numbers().size() == 8);
        assertThat(here.messages).isEqualTo(here.reminders);
        // Without a majority the other one has given up its slices as well, and reads them one by one again.
        soon().untilAsserted(() -> assertThat(there.messages).isEqualTo(there.reminders));
        assertThat(here.messages.numbers()).doesNotContainAnyElementsOf(there.messages.numbers());
    }

    private static final int ACCOUNTS = 20;

    private static long sum(List<Member> alive) throws Exception {
        var random = new SplittableRandom(3);
        long sum = 0;
        for (int key = 0; key < ACCOUNTS; key++) {
            sum += repeated(alive, random, new Look("k" + key));
        }
        return sum;
    }

    @Test
    @Promise({"85.1", "85.3"})
    void moneyThatIsSentArrivesOnceWhileNodesComeGoDieAndAreCutOff() throws Exception {
        Function<String, Member> next =
                name -> nodes.open(name, logs, options -> options.confirmReads());
        var alive = new CopyOnWriteArrayList<Member>();
        for (var name : List.of("a", "b", "c")) {
            alive.add(next.apply(name));
        }
        for (int key = 0; key < ACCOUNTS; key++) {
            ask(alive.getFirst().accounts, Bank.deposit("k" + key, 1_000));
        }
        var isOver = new AtomicBoolean();
        var steps = new AtomicInteger();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var disturber =
                    threads.submit(() -> disturb(alive, new SplittableRandom(2), isOver, next, steps));
            for (int i = 0; i < 4; i++) {
                int client = i;
                threads.submit(() -> {
                    var random = new SplittableRandom(client);
                    while (steps.get() < STEPS) {
                        var here = alive.get(random.nextInt(alive.size())).accounts;
                        var unused = here.ask(new Transfer("k" + random.nextInt(ACCOUNTS),
                                "k" + random.nextInt(ACCOUNTS), 1 + random.nextInt(9)), LIMIT)
                                .handle((answer, failure) -> true).get();
                    }
                    return null;
                });
            }
            soon().until(() -> steps.get() >= STEPS);
            isOver.set(true);
            Waits.on(disturber);
        }
        soon().until(() -> sum(alive) == ACCOUNTS * 1_000L);
        soon().until(() -> logs.unsent("accounts", Slices.ALL, Position.FIRST, 9).isEmpty());
        assertThat(sum(alive)).isEqualTo(ACCOUNTS * 1_000L);
    }

    /**
     * The logs as one node reaches them: a commit can be held up, and the end of a read of the reminders of all slices,
     * which is followed by no other read soon.
     */
    private final class Held extends ForwardingJournal {
        private final AtomicBoolean holdsCommits = new AtomicBoolean();
        private final AtomicBoolean holdsReminders = new AtomicBoolean();
        private final CountDownLatch isHeld = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);
        private final AtomicInteger remindersLookedAt = new AtomicInteger();
        private final AtomicInteger readsOfAll = new AtomicInteger();

        Held() {
            super(logs);
        }

        @Override
        public BitSet commit(List<Turn> turns) throws Exception {
            hold(holdsCommits);
            return super.commit(turns);
        }

        @Override
        public List<Reminder> due(String group, Slices slices, Instant until, int most) throws Exception {
            var due = super.due(group, slices, until, most);
            if (slices.numbers().size() == TestNode.SLICES) {
                readsOfAll.incrementAndGet();
                hold(holdsReminders);
            }
            return due;
        }

        private void hold(AtomicBoolean holds) throws InterruptedException {
            if (holds.getAndSet(false)) {
                isHeld.countDown();
                Waits.on(goOn);
            }
        }

        @Override
        public Optional<Reminder> reminder(Id id, String name) throws Exception {
            var found = super.reminder(id, name);
            remindersLookedAt.incrementAndGet();
            return found;
        }
    }

    /** Opens a node that is the home of all keys, with two others that can only send, so that it may be cut off. */
    private Member home(Journal journal) throws Exception {
        var home = nodes.open("home", journal);
        nodes.join("d");
        nodes.join("e");
        awaitSlices(home, true);
        return home;
    }

    @Test
    @Promise("85.3")
    void whatANodeThatIsCutOffWritesAfterTheNextHomeIsFencedAndNothingOfItIsThere() throws Exception {
        var held = new Held();
        var home = home(held);
        ask(home.accounts, Bank.deposit("k", 1));
        held.holdsCommits.set(true);
        var late = home.accounts.sendMessageReturn(new Transfer("k", "other", 100));
        Waits.on(held.isHeld);
        nodes.network.cut(home.node.engine);
        var next = nodes.open("next", logs);
        assertThat(ask(next.accounts, Bank.deposit("k", 5))).isEqualTo(6);
        held.goOn.countDown();
        assertThat(Waits.failure(late)).isNotNull();
        nodes.network.heal();
        soon().until(() -> home.node.cluster.serves());
        assertThat(ask(next.accounts, new Look("k"))).isEqualTo(6);
        assertThat(ask(home.accounts, new Look("other"))).isZero();
        assertThat(logs.history(new Journal.Id("accounts", "k"), 0, 9)).extracting(Journal.Turn::revision)
                .containsExactly(1L, 2L);
    }

    @Test
    @Promise("85.3")
    void ifTheNextHomeHasNotWrittenWhatTheOtherOneHasWrittenCountsAndItsMessagesLeave() throws Exception {
        var held = new Held();
        var home = home(held);
        ask(home.accounts, Bank.deposit("k", 1));
        held.holdsCommits.set(true);
        var unused = home.accounts.sendMessageReturn(new Transfer("k", "other", 100));
        Waits.on(held.isHeld);
        nodes.network.cut(home.node.engine);
        var next = nodes.open("next", logs);
        assertThat(ask(next.accounts, new Look("other"))).isZero();
        held.goOn.countDown();
        soon().until(() -> logs.revisions(List.of(new Journal.Id("accounts", "k"))).containsValue(2L));
        assertThat(ask(next.accounts, new Look("k"))).isEqualTo(-99);
        // Half a minute later, or when one more slice has its home here.
        nodes.network.heal();
        nodes.open("third", logs);
        home.close();
        soon().until(() -> ask(next.accounts, new Look("other")) == 100);
    }

    public static final class Wrong extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        Wrong(String message) {
            super(message);
        }
    }

    private static KeyedActors<String, String, String> texts(TestNode node, DurableStore store) {
        return Durable.stateOnly(store, "texts", String.class, "").shared()
                .parkAfter(1_000, IllegalArgumentException.class)
                .keyed(node.scope, String.class, String.class, TEXTS.keyOf(), (self, text) -> {
                    if (text.endsWith("wrong")) {
                        throw new Wrong(text);
                    } else if (text.equals("sender")) {
                        self.remind("later", Instant.now(), "sender wrong");
                        for (int i = 0; i < KEYS_OF_TEXTS; i++) {
                            self.send("k" + i + " wrong");
                        }
                    }
                    return text;
                });
    }

    /** What a handler has thrown comes as text, also at home. */
    @Test
    void whatFailsWithAChosenExceptionIsParkedAtOnceOnWhateverNodeItWasThrown() throws Exception {
        try (var store = DurableStore.of(logs, CommitOptions.defaults());
                var other = DurableStore.of(logs, CommitOptions.defaults());
                var a = new TestNode("a", nodes.network.node());
                var b = new TestNode("b", nodes.network.node())) {
            var here = texts(a, store);
            var shared = a.cluster.share(TEXTS, here);
            var there = texts(b, other);
            b.cluster.share(TEXTS, there);
            soon().until(() -> {
                for (int i = 0; i < KEYS_OF_TEXTS; i++) {
                    Waits.on(shared.sendMessageReturn("k" + i));
                }
                return here.live() > 0 && there.live() > 0;
            });
            Waits.on(shared.sendMessageReturn("sender"));
            var keys = Durable.stateOnly(store, "texts", String.class, "").keys();
            soon().until(() -> keys.parked(Optional.empty(), 99).size() == KEYS_OF_TEXTS + 1);
            assertThat(keys.parked(Optional.empty(), 99)).allSatisfy(parked -> {
                assertThat(parked.tries()).isOne();
                assertThat(parked.reason()).startsWith(Wrong.class.getName() + ": ");
            });
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Promise({"85.1", "85.5"})
    void aReminderComesOnceAlsoIfItsNodeHasLeftOrWasLost(boolean isLost) throws Exception {
        var random = new SplittableRandom(3);
        var home = home(logs);
        for (int key = 0; key < 10; key++) {
            ask(home.accounts, new Later("k" + key, Instant.now().plusMillis(key * 50), 7));
        }
        var next = List.of(nodes.open("next", logs, Durable::confirmReads));
        if (isLost) {
            home.kill();
        } else {
            home.close();
        }
        for (int key = 0; key < 10; key++) {
            var name = "k" + key;
            soon().until(() -> repeated(next, random, new Look(name)) == 7);
        }
        soon().until(() -> logs.due("accounts", Slices.ALL, FAR, 9).isEmpty());
        for (int key = 0; key < 10; key++) {
            assertThat(repeated(next, random, new Look("k" + key))).isEqualTo(7);
        }
    }

    /** What takes a message may throw: a mailbox that is full, or, as here, the function that tells the key. */
    @Test
    @Promise("85.5")
    void aReminderThatIsNotTakenComesLater() throws Exception {
        var calls = new AtomicInteger();
        var group = ClusterGroup.of("carts", String.class, String.class, Integer.class, (String text) -> {
            switch (text.equals("reminder") ? calls.incrementAndGet() : 0) {
                case 2 -> throw new IllegalStateException("full"); // the first call is that of the turn that sets it
                case 3 -> throw new AssertionError("full");
                default -> {
                }
            }
            return "key";
        });
        var reminded = new AtomicInteger();
        try (var store = DurableStore.of(logs, CommitOptions.defaults());
                var node = new TestNode("a", nodes.network.node())) {
            var carts = node.cluster.share(group, Durable.stateOnly(store, "carts", Integer.class, 0).shared()
                    .idle(Bank.LONG).keyed(node.scope, String.class, Integer.class, group.keyOf(),
                            (self, text) -> {
                                if (text.equals("begin")) {
                                    self.remind("soon", Instant.now(), "reminder");
                                }
                                return text.equals("reminder") ? reminded.incrementAndGet()
                                        : reminded.get();
                            }));
            Waits.on(carts.sendMessageReturn("begin"));
            soon().until(() -> reminded.get() == 1);
            assertThat(calls).hasValueGreaterThan(3);
            soon().until(() -> logs.due("carts", Slices.ALL, FAR, 9).isEmpty());
        }
    }

    /** The state is the seconds at which it came. */
    @Test
    @Promise("85.5")
    void aCalendarComesOnceInTheClusterAndGoesOnWhenItsNodeHasLeft() throws Exception {
        var group =
                ClusterGroup.of("clocks", String.class, String.class, String.class, (String text) -> "key");
        try (var store = DurableStore.of(logs, CommitOptions.defaults());
                var second = DurableStore.of(logs, CommitOptions.defaults());
                var other = new TestNode("b", nodes.network.node())) {
            KeyedActors<String, String, String> left;
            try (var node = new TestNode("a", nodes.network.node())) {
                var clocks = clock(node, store, group);
                Waits.on(clocks.sendMessageReturn("begin"));
                soon().until(() -> Waits.on(clocks.sendMessageReturn("")).split(" ").length > 2);
                left = clock(other, second, group);
                soon().until(() -> Waits.on(clocks.sendMessageReturn("")).split(" ").length > 3);
            }
            soon().until(() -> Waits.on(left.sendMessageReturn("")).split(" ").length > 6);
            var seconds = List.of(Waits.on(left.sendMessageReturn("")).strip().split(" "));
            assertThat(seconds).doesNotHaveDuplicates().isSorted();
        }
    }

    private static KeyedActors<String, String, String> clock(TestNode node, DurableStore store,
            ClusterGroup<String, String, String> group) {
        return node.cluster.share(group,
                Durable.stateOnly(store, "clocks", String.class, "").shared().idle(Bank.LONG)
                        .keyed(node.scope, String.class, String.class, group.keyOf(), (self, text) -> {
                            if (text.equals("begin")) {
                                self.remind("second", Schedule.cron("* * * * * *", ZoneOffset.UTC),
                                        "reminder");
                            } else if (text.equals("reminder")) {
                                self.persist(self.state() + " " + Instant.now().getEpochSecond());
                            }
                            return self.state();
                        }));
    }

    @Test
    @Promise({"85.3", "85.5"})
    void aReminderThatALostNodeHasForgottenDoesNotComeThoughItWasReadBefore() throws Exception {
        var held = new Held();
        var home = home(held);
        // So late that it is forgotten before it comes at home.
        ask(home.accounts, new Later("k", Instant.now().plusSeconds(10), 7));
        held.holdsCommits.set(true);
        var unused = home.accounts.sendMessageReturn(new Bank.Cancel("k"));
        Waits.on(held.isHeld);
        nodes.network.cut(home.node.engine);
        var reading = new Held();
        reading.holdsReminders.set(true);
        var next = nodes.open("next", reading);
        Waits.on(reading.isHeld);
        held.goOn.countDown();
        soon().until(() -> logs.revisions(List.of(new Journal.Id("accounts", "k"))).containsValue(2L));
        reading.goOn.countDown();
        // On a machine that is very slow it is read again before, and is not there any more.
        soon().until(() -> reading.remindersLookedAt.get() > 0 || reading.readsOfAll.get() > 1);
        assertThat(ask(next.accounts, new Look("k"))).isZero();
        assertThat(ask(next.accounts, new Look("k"))).isZero();
    }

    private record Text(String key, String text) {
    }

    /** Otherwise its ask would wait for its limit, and a tell would be underway for ever. */
    @Test
    @Promise("80.7")
    void aKeyThatDurableActorsRefuseIsToldToItsSender() throws Exception {
        var home = nodes.join("home");
        var group = ClusterGroup.of("texts", String.class, Text.class, Integer.class, Text::key);
        var store = DurableStore.of(logs, CommitOptions.defaults());
        home.scope.closeOnExit(store);
        var texts = home.cluster.share(group, Durable.stateOnly(store, "texts", String.class, "").shared()
                .idle(Bank.LONG).keyed(home.scope, Text.class, Integer.class, Text::key,
                        (self, text) -> text.text().length()));
        var tooLong = new Text("k".repeat(600), "x");
        assertThat(Waits.failure(texts.sendMessageReturn(tooLong))).isInstanceOf(RemoteException.class)
                .hasMessageContaining("key").hasMessageContaining("600");
        assertThat(texts.sendMessage(tooLong)).as("it is at home").isFalse();
        soon().until(() -> !home.events(ClusterEvent.NotHandled.class).isEmpty());
        assertThat(home.events(ClusterEvent.NotHandled.class))
                .containsExactly(new ClusterEvent.NotHandled("texts", tooLong, Cause.NOT_UNDERSTOOD));
        assertThat(Waits.on(texts.sendMessageReturn(new Text("k", "four")))).isEqualTo(4);
    }

    // ---- What is refused. ----

    @Test
    @Promise("85.6")
    void aFileIsNotSharedWithOtherNodesAndIsSharedAlone(@TempDir Path folder) throws Exception {
        try (var store = DurableStore.open("file:" + folder.resolve("bank.db"));
                var own = ActorSystem.open("own")) {
            var others = nodes.join("others");
            var accounts = Bank.open(own, Bank.durable(store).shared(), Bank.LONG, nodes.handled);
            assertThatThrownBy(() -> others.cluster.share(DurableNodes.GROUP, accounts))
                    .isInstanceOf(ClusterException.class).hasMessageContaining("'accounts'")
                    .hasMessageContaining("a file, which belongs to one process")
                    .hasMessageContaining("PostgreSQL");
        }
        try (var store = DurableStore.open("file:" + folder.resolve("alone.db"));
                var scope = ActorSystem.open("alone");
                var cluster = Cluster.open(scope, ClusterOptions.alone())) {
            var own = Bank.open(scope, Bank.durable(store).shared(), Bank.LONG, nodes.handled);
            assertThat(Waits.failure(own.sendMessageReturn(new Look("a"))))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Durable.shared()").hasMessageContaining("Cluster.share");
            var accounts = cluster.share(DurableNodes.GROUP, own);
            assertThat(accounts).isSameAs(own);
            ask(accounts, new Transfer("a", "b", 3));
            ask(accounts, new Later("c", Instant.now(), 4));
            soon().until(() -> ask(accounts, new Look("b")) == 3 && ask(accounts, new Look("c")) == 4);
        }
    }

    @Test
    @Promise("85.6")
    void durableActorsThatWereNotMadeToBeSharedAreRefused() throws Exception {
        try (var store = DurableStore.inMemory(); var scope = ActorSystem.open("own")) {
            var node = nodes.join("a");
            var accounts = Bank.open(scope, store);
            assertThatThrownBy(() -> node.cluster.share(DurableNodes.GROUP, accounts))
                    .isInstanceOf(ClusterException.class).hasMessageContaining("without Durable.shared()");
        }
    }
}
