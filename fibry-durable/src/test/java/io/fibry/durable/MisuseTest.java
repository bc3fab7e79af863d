package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorContext;
import io.fibry.ActorException;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.internal.keyed.SharedKeys;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.Schedule;
import java.io.StringReader;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

/** What a program hears that uses durable actors in a wrong way: what, who, the value, and what to do. */
class MisuseTest {
    private static final Duration LONG = Duration.ofHours(1);

    public record Added(long n) {
    }

    public record Sum(long n) {
        static final Sum NONE = new Sum(0);

        Sum plus(Added added) {
            return new Sum(n + added.n);
        }
    }

    public record Add(String key, long n) {
    }

    /** A message whose id is forgotten. */
    public record Order(String key, String id) implements Identified {
        @Override
        public String messageId() {
            return "none".equals(id) ? null : id;
        }
    }

    public record Point(int x) {
    }

    private final DurableStore store = DurableStore.inMemory();
    private final ActorScope scope = ActorSystem.open("sums");

    @AfterEach
    void close() {
        scope.close();
        store.close();
    }

    private Durable<Sum, Added> sums() {
        return Durable.of(store, "sums", Sum.class, Sum.NONE, Added.class, Sum::plus);
    }

    private KeyedActors<String, Add, Long> open(DurableHandler<Sum, Added, Add, Long> handler) {
        return sums().idle(LONG).keyed(scope, Add.class, Long.class, Add::key, handler);
    }

    private KeyedActors<String, Add, Long> open(String name, DurableHandler<Sum, Added, Add, Long> handler) {
        return Durable.of(store, name, Sum.class, Sum.NONE, Added.class, Sum::plus).idle(LONG)
                .keyed(scope, Add.class, Long.class, Add::key, handler);
    }

    private static <T> T ask(CompletableFuture<T> answer) throws Exception {
        try {
            return Waits.on(answer);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    /** Handles one message in this way. */
    private void turn(DurableHandler<Sum, Added, Add, Long> handler) throws Exception {
        try (var inner = ActorSystem.open("turn")) {
            ask(sums().idle(LONG).keyed(inner, Add.class, Long.class, Add::key, handler)
                    .sendMessageReturn(new Add("a", 1)));
        }
    }

    /** A cluster refuses to share such actors. */
    @Test
    void durableActorsMustStayOnTheirNode() {
        assertThat(SharedKeys.of(open((self, add) -> self.state().n())).orElseThrow().isMovable()).isFalse();
    }

    @Test
    void nullIsNamed() {
        assertThatThrownBy(() -> DurableStore.open(null)).hasMessage("url");
        assertThatThrownBy(() -> DurableStore.of((DataSource) null, CommitOptions.defaults()))
                .hasMessage("source");
        assertThatThrownBy(() -> DurableStore.of(new MemoryJournal(), null)).hasMessage("options");
        assertThatThrownBy(() -> Durable.stateOnly(store, null, Sum.class, Sum.NONE)).hasMessage("name");
        assertThatThrownBy(() -> sums().ids(null)).hasMessage("time");
        assertThatThrownBy(() -> sums().reaches(null, String.class)).hasMessage("actors");
        assertThatThrownBy(
                () -> sums().idle(LONG).keyed(null, Add.class, Long.class, Add::key, (self, add) -> 0L))
                .hasMessage("scope");
    }

    @Test
    void aLimitThatNoDatabaseKeepsIsRefused() {
        for (var limit : List.of(Duration.ZERO, Duration.ofNanos(1), Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThatThrownBy(() -> new CommitOptions(limit)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(limit.toString());
        }
    }

    @Test
    void nullIsNamedWithinATurn() {
        assertThatThrownBy(() -> turn((self, add) -> {
            self.remind("r", (Instant) null, add);
            return 0L;
        })).hasMessage("at");
        assertThatThrownBy(() -> turn((self, add) -> {
            self.remind(null, Instant.EPOCH, add);
            return 0L;
        })).hasMessage("name of a reminder");
        assertThatThrownBy(() -> turn((self, add) -> {
            self.remind("r", Instant.EPOCH, null);
            return 0L;
        })).hasMessage("message");
        assertThatThrownBy(() -> turn((self, add) -> {
            self.remind("r", (Schedule) null, add);
            return 0L;
        })).hasMessage("schedule");
        assertThatThrownBy(() -> turn((self, add) -> {
            self.send(null, add);
            return 0L;
        })).hasMessage("to");
        assertThatThrownBy(() -> turn((self, add) -> {
            self.send(null);
            return 0L;
        })).hasMessage("message");
        assertThatThrownBy(() -> turn((self, add) -> {
            self.persist(null);
            return 0L;
        })).hasMessage("event");
    }

    @Test
    void anIdThatIsNullIsNamedWithTheClassOfItsMessage() {
        var orders = sums().idle(LONG).keyed(scope, Order.class, Long.class, Order::key, (self, order) -> 0L);
        assertThatThrownBy(() -> ask(orders.sendMessageReturn(new Order("a", "none"))))
                .hasMessageContaining(Order.class.getName()).hasMessageContaining("empty");
    }

    @Test
    void aNameThatCannotBeKeptIsRefusedWhereItIsGiven() {
        assertThatThrownBy(() -> Durable.stateOnly(store, "n".repeat(300), Sum.class, Sum.NONE))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("300 characters");
        assertThatThrownBy(() -> Durable.stateOnly(store, "a\0", Sum.class, Sum.NONE))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("at 1");
    }

    @Test
    void aFolderIsNoStore(@TempDir Path folder) {
        assertThatThrownBy(() -> DurableStore.open("file:" + folder))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(folder + " is a folder").hasMessageContaining("bank.db");
    }

    @Test
    void aDataSourceOfAnotherDatabaseIsRefused() {
        var sqlite = new SQLiteDataSource();
        sqlite.setUrl("jdbc:sqlite::memory:");
        assertThatThrownBy(() -> DurableStore.of(sqlite, CommitOptions.defaults()))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("SQLite")
                .hasMessageContaining("file:bank.db");
        assertThatThrownBy(() -> DurableStore.of(named("H2"), CommitOptions.defaults()))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("H2 is no store")
                .hasMessageContaining("loses committed transactions");
    }

    /** Neither is made a store, and no tables are made in it. */
    @Test
    void aFileOfAnotherProgramIsRefused(@TempDir Path folder) throws Exception {
        var text = folder.resolve("text.db");
        Files.writeString(text, "H:2,block:9,blockSize:1000,chunk:7 ".repeat(300));
        assertThatThrownBy(() -> DurableStore.open("file:" + text)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(text.toString()).hasMessageContaining("not a database");
        assertThat(text).content().startsWith("H:2,block");
        var other = new SQLiteDataSource();
        other.setUrl("jdbc:sqlite:" + folder.resolve("other.db"));
        try (var connection = other.getConnection(); var statement = connection.createStatement()) {
            statement.execute("CREATE TABLE notes(text TEXT)");
        }
        for (int version = 1; version >= 0; version--) {
            try (var connection = other.getConnection(); var statement = connection.createStatement()) {
                statement.execute("PRAGMA user_version=" + version);
            }
            assertThatThrownBy(() -> DurableStore.open("file:" + folder.resolve("other.db")))
                    .isInstanceOf(IllegalStateException.class).hasMessageContaining("another program")
                    .hasMessageContaining("version " + version).hasMessageContaining("of its own");
        }
        assertThatThrownBy(() -> DurableStore.of(other, CommitOptions.defaults()))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("SQLite");
        assertThatThrownBy(() -> DurableStore.open("jdbc:sqlite:" + folder.resolve("other.db")))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("file:bank.db");
        try (var connection = other.getConnection();
                var statement = connection.createStatement();
                var tables = statement.executeQuery("SELECT group_concat(name) FROM sqlite_master")) {
            assertThat(tables.getString(1)).isEqualTo("notes");
        }
    }

    /** A source of connections to a database of this name. */
    private static DataSource named(String product) {
        return answering(DataSource.class,
                answering(Connection.class, answering(DatabaseMetaData.class, product)));
    }

    private static <T> T answering(Class<T> type, Object answer) {
        return type.cast(Proxy.newProxyInstance(MisuseTest.class.getClassLoader(), new Class<?>[]{type},
                (proxy, method, args) -> method.getReturnType().isInstance(answer) ? answer : null));
    }

    /** The sender hears of it: no actor is made, and nothing is logged. */
    @Test
    void aKeyThatCannotBeKeptIsNamedToItsSender() {
        var actors =
                sums().idle(LONG).keyed(scope, Add.class, Long.class, add -> new Point(7), (self, add) -> 0L);
        assertThatThrownBy(() -> actors.sendMessage(new Add("a", 1)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("sums")
                .hasMessageContaining("Point[x=7]").hasMessageContaining("String, Long");
    }

    /** Lists of keys begin behind it. */
    @Test
    void anEmptyKeyIsRefused() {
        var actors = open((self, add) -> 0L);
        assertThatThrownBy(() -> actors.sendMessage(new Add("", 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a key of sums is an empty text");
        var others = open("others", (self, add) -> {
            self.send(new Add("", 1));
            return 0L;
        });
        assertThatThrownBy(() -> ask(others.sendMessageReturn(new Add("a", 1))))
                .hasMessageContaining("a key of others is an empty text");
        var keys = sums().keys();
        for (Callable<?> write : List.<Callable<?>>of(() -> keys.delete(""), () -> keys.erase(""),
                () -> keys.importFrom(new StringReader("{\"key\":\"\",\"state\":{\"n\":1}}")))) {
            assertThatThrownBy(write::call).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a key of sums is a text that is not empty");
        }
    }

    @Test
    void aReminderOutsideOfTimeIsRefused() {
        for (var at : new Instant[]{Instant.MAX, Instant.MIN}) {
            assertThatThrownBy(() -> turn((self, add) -> {
                self.remind("soon", at, add);
                return 0L;
            })).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("soon")
                    .hasMessageContaining("sums a").hasMessageContaining(at.toString());
        }
        for (var schedule : List.of(Schedule.fixedRate(Duration.ofNanos(5)),
                Schedule.fixedDelay(Duration.ofSeconds(5)),
                Schedule.fixedRate(Duration.ofDays(1_000_000)),
                Schedule.fixedRate(Duration.ofDays(1_000_000)).startingAfter(Duration.ZERO),
                Schedule.fixedRate(Duration.ofSeconds(5)).times(3))) {
            assertThatThrownBy(() -> turn((self, add) -> {
                self.remind("soon", schedule, add);
                return 0L;
            })).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("soon")
                    .hasMessageContaining("sums a").hasMessageContaining(schedule.period().toString());
        }
    }

    @Test
    void aStateThatIsNullIsNamedWithItsEvent() {
        var actors =
                Durable.<Sum, Added>of(store, "sums", Sum.class, Sum.NONE, Added.class, (sum, added) -> null)
                        .idle(LONG).keyed(scope, Add.class, Long.class, Add::key, (self, add) -> {
                            self.persist(new Added(1));
                            return 0L;
                        });
        assertThatThrownBy(() -> ask(actors.sendMessageReturn(new Add("a", 1))))
                .hasMessageContaining(Added.class.getName()).hasMessageContaining("sums a");
    }

    /** An asker would wait for an answer that cannot come, and the handler of others would be gone after a restart. */
    @Test
    @Promise("65.4")
    void aTurnEndsWhenItsHandlerReturnsAndInNoOtherWay() throws Exception {
        var remedies = Map.of("deferReply()",
                "let the handler wait for its answer, or send what comes later as another message", "stash()",
                "persist what is to be done later, and let another message do it", "unstashAll()",
                "no message can have been put aside", "dropOldestStashed()",
                "no message can have been put aside",
                "become(...)", "let the one handler act by the state", "becomeWithReturn(...)",
                "let the one handler act by the state", "unbecome()", "let the one handler act by the state");
        var calls = Map.<String, Consumer<ActorContext<?, ?>>>of("deferReply()", ActorContext::deferReply,
                "stash()", ActorContext::stash, "unstashAll()", ActorContext::unstashAll,
                "dropOldestStashed()", ActorContext::dropOldestStashed,
                "become(...)", self -> self.become((context, message) -> {
                }), "becomeWithReturn(...)", self -> self.becomeWithReturn((context, message) -> {
                    throw new AssertionError("another handler");
                }), "unbecome()", ActorContext::unbecome);
        var actors = open((self, add) -> {
            self.persist(new Added(add.n));
            var call = calls.get(add.key);
            if (call != null) {
                call.accept(self.actor());
            }
            return self.state().n;
        });
        for (var call : calls.keySet()) {
            assertThatThrownBy(() -> ask(actors.sendMessageReturn(new Add(call, 1))))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageStartingWith(call + " of the durable actor sums " + call)
                    .hasMessageContaining("ends when its handler returns")
                    .hasMessageEndingWith(remedies.get(call));
        }
        var caught = open("caught", (self, add) -> {
            self.persist(new Added(add.n));
            assertThatThrownBy(self.actor()::deferReply).isInstanceOf(UnsupportedOperationException.class);
            return self.state().n;
        });
        assertThat(ask(caught.sendMessageReturn(new Add("a", 3)))).as("the turn goes on").isEqualTo(3);
    }

    /** It would make the log unreadable. */
    @Test
    void anEventThatCannotBeAppliedIsNotWritten() throws Exception {
        var durable =
                Durable.<Sum, Added>of(store, "sums", Sum.class, Sum.NONE, Added.class, (sum, added) -> {
                    if (added.n < 0) {
                        throw new IllegalArgumentException("a negative number: " + added.n);
                    }
                    return sum.plus(added);
                });
        for (int process = 0; process < 2; process++) {
            try (var inner = ActorSystem.open("process")) {
                var actors = durable.idle(LONG).keyed(inner, Add.class, Long.class, Add::key, (self, add) -> {
                    self.persist(new Added(add.n));
                    try {
                        self.persist(new Added(-1));
                    } catch (IllegalArgumentException caught) {
                        // The handler goes on without this event.
                    }
                    return self.state().n;
                });
                assertThat(ask(actors.sendMessageReturn(new Add("a", 1)))).isEqualTo(process + 1);
            }
        }
    }

    @Test
    void aClosedStoreSaysWhatToDo() throws Exception {
        var actors = open((self, add) -> {
            self.persist(new Added(add.n));
            return self.state().n;
        });
        assertThat(ask(actors.sendMessageReturn(new Add("a", 1)))).isOne();
        store.close();
        store.close();
        for (var key : new String[]{"a", "b"}) {
            assertThatThrownBy(() -> ask(actors.sendMessageReturn(new Add(key, 1))))
                    .isInstanceOf(ActorException.class).hasMessageContaining("the store is closed")
                    .hasMessageContaining("close the scopes");
        }
        assertThatThrownBy(
                () -> Durable.stateOnly(store, "late", Sum.class, Sum.NONE).idle(LONG).keyed(scope, Add.class,
                        Long.class, Add::key, (self, add) -> 0L))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("the store is closed");
    }

    @Test
    @Promise("66.1")
    void anActorSendsToAnotherOneOfItsKind() throws Exception {
        var actors = open((self, add) -> {
            self.persist(new Added(add.n));
            if (add.key.equals("a") && add.n > 0) {
                self.send(new Add("b", add.n));
            }
            return self.state().n;
        });
        ask(actors.sendMessageReturn(new Add("a", 3)));
        ask(actors.sendMessageReturn(new Add("a", 4)));
        Waits.until("both have arrived", () -> actors.sendMessageReturn(new Add("b", 0)).join() >= 7);
        assertThat(ask(actors.sendMessageReturn(new Add("b", 0)))).isEqualTo(7);
    }

    /** Of whatever kind the two are: what they wrote would be in one log. */
    @Test
    void aNameIsTakenOnce() throws Exception {
        open((self, add) -> 0L);
        var works = DurableQueue.of(store, "works", Add.class);
        works.start(scope, 1, task -> {
        });
        var taken = "the name sums is taken in this store by durable actors";
        assertThatThrownBy(() -> open((self, add) -> 0L)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(taken).hasMessageContaining("choose another name");
        var queue = DurableQueue.of(store, "sums", Add.class);
        assertThatThrownBy(() -> queue.start(scope, 1, task -> {
        })).isInstanceOf(IllegalStateException.class).hasMessageContaining(taken);
        assertThatThrownBy(() -> queue.handIn("a", new Add("a", 1)))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining(taken);
        assertThatThrownBy(() -> works.start(scope, 1, task -> {
        })).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the name works is taken in this store by a queue");
        assertThatThrownBy(() -> open("works", (self, add) -> 0L)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("by a queue");
        try (var inner = ActorSystem.open("inner")) {
            assertThatThrownBy(() -> senders("other", inner, plain(inner, "sums")))
                    .isInstanceOf(IllegalStateException.class).hasMessageContaining(taken);
            senders("senders", inner, plain(inner, "plain"));
            assertThatThrownBy(() -> senders("more", scope, plain(scope, "plain")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the name plain is taken in this store by keyed actors");
            assertThatThrownBy(() -> senders("senders", scope, plain(scope, "fresh")))
                    .isInstanceOf(IllegalStateException.class).hasMessageContaining("by durable actors");
        }
        // What was refused has taken no name.
        try (var inner = ActorSystem.open("inner")) {
            senders("more", inner, plain(inner, "fresh"));
        }
    }

    private static KeyedActors<String, Add, Void> plain(ActorScope scope, String name) {
        return scope.named(name).keyed(Add::key).idle(LONG).newActorsFrom(key -> (context, add) -> {
        });
    }

    private KeyedActors<String, Add, Long> senders(String name, ActorScope scope,
            KeyedActors<String, Add, Void> to) {
        return Durable.stateOnly(store, name, Sum.class, Sum.NONE).reaches(to, Add.class).idle(LONG)
                .keyed(scope, Add.class, Long.class, Add::key, (self, add) -> {
                    self.send(to, add);
                    return 0L;
                });
    }

    @Test
    void actorsAreReachedUntilTheLastGroupThatReachesThemHasEnded() throws Exception {
        var plain = plain(scope, "plain");
        try (var inner = ActorSystem.open("inner")) {
            senders("first", inner, plain);
            senders("second", scope, plain);
        }
        assertThat(store.groups().of(plain).name()).isEqualTo("plain");
    }
}
