package io.fibry.durable;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.dump.DumpSection;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Loaded;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Sent;
import io.fibry.durable.Journal.Turn;
import io.fibry.internal.keyed.SliceWork.HomeRow;
import io.fibry.time.Schedule;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the state of durable actors. One store serves any number of groups of actors: what they have to write at the same
 * time becomes one transaction, so that a thousand actors wait for one flush of the disk. Objects are thread-safe.
 *
 * <p>A program closes its scopes first, and then the store. Actors whose store is closed fail.
 */
public final class DurableStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DurableStore.class);
    /** A user and a password before a host. */
    private static final Pattern USER = Pattern.compile("//([^/:@?]*:?)[^?\\s]*@");
    private static final String FILE = "file:";
    private static final Map<String, String> DRIVERS = Map.of("jdbc:postgresql:", "org.postgresql:postgresql",
            "jdbc:mariadb:", "org.mariadb.jdbc:mariadb-java-client");
    private static final String NOT_H2 =
            "H2 is no store: with its defaults it loses committed transactions when the process is killed, and with "
                    + "WRITE_DELAY=0 it is slow; use file:bank.db, PostgreSQL or MariaDB";
    private static final String NOT_MYSQL =
            "MySQL is no store: it does not end transactions of processes that stand still; use MariaDB, PostgreSQL or file:bank.db";
    /** Turns that a snapshot covers are deleted after so many times the limit. */
    private static final int KEPT_LIMITS = 12;
    /** How many turns share a transaction at most. */
    private static final int MOST_TURNS = 4_096;
    /** How many keys are read together at most. All their logs are in memory at once, and more would hardly be faster. */
    private static final int MOST_LOADS = 256;

    final Journal journal;
    private final ActorScope scope;
    final GroupWork<Change, Object> writes;
    final GroupWork<Look, Object> reads;
    private final Groups groups = new Groups();
    /** The parts of projections that run in this process, by their names. */
    private final Map<String, Projection.Part> projections = new ConcurrentHashMap<>();
    final Compaction compaction;
    /** Transactions with turns, their turns, and how long they took. Written by the thread that writes. */
    private final LongAdder commits = new LongAdder();
    private final LongAdder turns = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final AtomicBoolean closed = new AtomicBoolean();

    private DurableStore(Journal journal, CommitOptions options, ActorScope scope) {
        this.journal = journal;
        this.scope = scope;
        writes = new GroupWork<>(scope, "commit",
                new GroupWork.Size<>(MOST_TURNS, TurnSize.MOST_OF_TRANSACTION, Change::bytes),
                options.limit(), CreationStrategy.threads(), Runtime.getRuntime().availableProcessors() > 1,
                this::write);
        reads = new GroupWork<>(scope, "load",
                new GroupWork.Size<>(MOST_LOADS, MOST_LOADS, Look::size),
                options.limit(), CreationStrategy.threads(), false, this::read);
        var kept = options.limit().multipliedBy(KEPT_LIMITS);
        compaction = new Compaction(this, kept);
        scope.schedule(Schedule.fixedDelay(kept), compaction::run);
    }

    /**
     * Opens a store. {@code file:bank.db} is a file of SQLite, made if it is not there, for which the driver {@code
     * org.xerial:sqlite-jdbc} must be on the class path. The file belongs to one process, and there to one store.
     * {@code jdbc:postgresql://host/bank?user=u&password=p} is a database of PostgreSQL, for which {@code
     * org.postgresql:postgresql} must be on the class path. {@code jdbc:mariadb://host/bank?user=u&password=p} is one
     * of MariaDB, with {@code org.mariadb.jdbc:mariadb-java-client}. Several processes may share a database.
     *
     * @param url the place of the store
     * @return the store
     * @throws IllegalArgumentException if the store is of a kind that is not known, or its folder is not there
     * @throws IllegalStateException if another process or another store uses the file, or if the store cannot be opened
     */
    public static DurableStore open(String url) {
        return open(url, CommitOptions.defaults());
    }

    /**
     * Opens a store, as {@link #open(String)} does, with options.
     *
     * @param url the place of the store
     * @param options how it commits
     * @return the store
     * @throws IllegalArgumentException if the store is of a kind that is not known, or its folder is not there
     * @throws IllegalStateException if another process or another store uses the file, or if the store cannot be opened
     */
    public static DurableStore open(String url, CommitOptions options) {
        Objects.requireNonNull(url, "url");
        Objects.requireNonNull(options, "options");
        for (var driver : DRIVERS.entrySet()) {
            if (url.startsWith(driver.getKey())) {
                var login = new Properties();
                // Or the driver of PostgreSQL would wait for ever for a server that takes a connection and says nothing.
                login.setProperty("loginTimeout",
                        Long.toString(Math.max(1, 2 * options.limit().toSeconds())));
                if (USER.matcher(url).find()) { // else the driver would take it for a port, and tell it
                    throw new IllegalArgumentException("the store " + masked(url)
                            + " has a user before its host: write ?user=u&password=p behind the database");
                }
                return server(url, () -> connect(url, login), options, driver.getValue());
            }
        }
        if (url.startsWith("jdbc:h2:") || url.startsWith("jdbc:mysql:")) {
            throw new IllegalArgumentException(url.startsWith("jdbc:h2:") ? NOT_H2 : NOT_MYSQL);
        }
        if (!url.startsWith(FILE) || url.length() == FILE.length()) {
            throw new IllegalArgumentException(
                    "not a store that is known: " + masked(url)
                            + "; write file:bank.db, jdbc:postgresql://host/database or jdbc:mariadb://host/database");
        }
        try {
            return of(SqliteJournal.open(Path.of(url.substring(FILE.length())), options.limit()), options);
        } catch (SQLException | IOException e) {
            throw notOpened(url, e, "org.xerial:sqlite-jdbc");
        }
    }

    /**
     * Opens a store in a database of PostgreSQL or of MariaDB, which several processes may share. The tables are made
     * if they are not there. The store uses two connections, and one more for each part of a projection; a pool must
     * have at least that many. It sets time-outs in them, and resets the settings of a connection before it returns
     * it. It closes a connection that has failed and gets another one.
     *
     * @param source makes connections to the database
     * @param options how the store commits
     * @return the store
     * @throws IllegalArgumentException if the database is another one
     * @throws IllegalStateException if the store cannot be opened
     */
    public static DurableStore of(DataSource source, CommitOptions options) {
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(options, "options");
        return server("of " + source, source::getConnection, options, "");
    }

    private static DurableStore server(String url, SqlSession.Source source, CommitOptions options,
            String driver) {
        try {
            String product;
            try (var connection = source.connect()) {
                product = connection.getMetaData().getDatabaseProductName();
            }
            return of(switch (product) {
                case "PostgreSQL" -> PostgresJournal.open(source, options.limit());
                case "MariaDB" -> MariaJournal.open(source, options.limit());
                case "H2" -> throw new IllegalArgumentException(NOT_H2);
                case "MySQL" -> throw new IllegalArgumentException(NOT_MYSQL);
                default -> throw new IllegalArgumentException(
                        "not a store that is known: " + product
                                + "; use file:bank.db, PostgreSQL or MariaDB");
            }, options);
        } catch (SQLException e) {
            throw notOpened(masked(url), e, driver);
        }
    }

    /** A driver that cannot use a URL may tell the whole of it, and in the causes too. */
    private static Connection connect(String url, Properties login) throws SQLException {
        try {
            return DriverManager.getConnection(url, login);
        } catch (SQLException failed) {
            var text = String.valueOf(failed.getMessage());
            var masked = masked(text);
            throw masked.equals(text) ? failed : new SQLException(masked, failed.getSQLState());
        }
    }

    /** Returns a text without passwords. */
    private static String masked(String text) {
        return USER.matcher(text.replaceAll("(?i)password=[^&\\s]*", "password=...")).replaceAll("//$1...@");
    }

    private static IllegalStateException notOpened(String url, Exception reason, String driver) {
        return new IllegalStateException("the store " + url + " cannot be opened: " + reason.getMessage()
                + (reason.getMessage() != null && reason.getMessage().startsWith("No suitable driver")
                        ? "; add " + driver + " to the class path"
                        : ""),
                reason);
    }

    /** {@return a store in memory, for tests} What it keeps survives the actors and their scopes, and ends with the store. */
    public static DurableStore inMemory() {
        return of(new MemoryJournal(), CommitOptions.defaults());
    }

    /**
     * Returns one more store that keeps what this one keeps, as another process would open it: for tests of actors that nodes of a
     * cluster share, with several nodes in one process. What is kept in memory is there until the last of these stores is closed.
     *
     * @return the other store
     * @throws IllegalStateException if this store is not one {@linkplain #inMemory in memory}
     */
    public DurableStore another() {
        if (journal instanceof MemoryJournal memory) {
            return of(memory, CommitOptions.defaults());
        }
        throw new IllegalStateException(
                "only a store in memory is given to another one in the same process; open this one by its URL again");
    }

    /**
     * {@return a store that keeps all in a journal, which is closed with it}
     *
     * @param journal the journal
     * @param options how the store commits
     */
    public static DurableStore of(Journal journal, CommitOptions options) {
        Objects.requireNonNull(journal, "journal");
        Objects.requireNonNull(options, "options");
        return of(journal, options, ActorSystem.open("durable-store"));
    }

    /** Returns a store that works in a scope, such as one whose time a test moves, and closes it. */
    static DurableStore of(Journal journal, CommitOptions options, ActorScope scope) {
        return new DurableStore(journal, options, scope);
    }

    /** Writes a turn that no actor has made, in any process. Returns false if its revision is taken. */
    boolean commitFromOutside(Turn turn) throws InterruptedException {
        var turns = List.of(turn);
        return write(
                journal -> journal instanceof PostgresJournal postgres ? postgres.commitFromOutside(turns)
                        : journal.commit(turns))
                .get(0);
    }

    /** Does something by the thread that writes, apart from the turns, and waits for it. */
    @SuppressWarnings("unchecked") // the type is that of the work
    <T> T write(Access<T> access) throws InterruptedException {
        return (T) writes.await(new Alone(access));
    }

    /** Does something that has no result by the thread that writes, apart from the turns, and waits for it. */
    void run(Work work) throws InterruptedException {
        write(work.access());
    }

    /** Lets the thread that writes do something, apart from the turns. */
    CompletableFuture<?> submit(Access<?> access) {
        return writes.submit(new Alone(access));
    }

    /** Keeps the failed tries of a reminder. The future tells whether they are written. */
    CompletableFuture<?> postpone(Reminder reminder) {
        return writes.submit(new Postpone(reminder));
    }

    /** Writes a turn of a sequence, and adds it there. It fails with this exception if its revision is taken. */
    void append(Turn turn, Sequence sequence, Supplier<FencedException> fenced) {
        sequence.add(turn, writes.submit(new Append(turn, sequence)), fenced);
    }

    /** Tells whether a turn would be written by the thread that brings it, as far as this is known. */
    boolean isLone() {
        return writes.isLone();
    }

    /**
     * Writes a turn on this thread if nothing else is to be written; else as {@link #append}.
     *
     * @param onFailure called if this fails, also while this thread still waits for the store
     */
    void appendHere(Turn turn, Sequence sequence, Supplier<FencedException> fenced,
            Consumer<Throwable> onFailure) {
        sequence.add(turn, writes.doHere(new Append(turn, sequence), onFailure), fenced);
    }

    /** Waits for the end of all writes that were submitted before, also of those for which nobody waits any more. */
    void awaitWriter() throws InterruptedException {
        write(journal -> true);
    }

    /** Does the same if a turn of this key is being written for which nobody waits any more. */
    void awaitLateTurn(Id id) throws InterruptedException {
        if (writes.isLate(change -> change instanceof Append append && append.turn().id().equals(id))) {
            awaitWriter();
        }
    }

    /** Marks a turn as sent. When the future completes, this mark and all before it are written, or could not be. */
    CompletableFuture<?> clear(Sent sent) {
        return writes.submit(new Clear(sent));
    }

    Loaded load(Id id) throws InterruptedException {
        return await(new Look.Log(id));
    }

    long revision(Id id) throws InterruptedException {
        return this.<Long>await(new Look.Newest(id));
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the type is that of the look
    private <T> T await(Look look) throws InterruptedException {
        return (T) reads.await(look);
    }

    /** Reads what is not read for many at once. */
    <T> T read(Access<T> access) throws InterruptedException {
        return await(new Look.One(access));
    }

    /** Returns what is parked of a group, as {@link Journal#parked} does. */
    List<Reminder> parked(String group, String key, String name, int most) throws InterruptedException {
        return read(journal -> journal.parked(group, key, name, most));
    }

    /** This node is the home of a slice of a group from now on. */
    void begin(String group, int slice, int slices, Optional<HomeRow> row) {
        if (journal instanceof PostgresJournal postgres) {
            postgres.begin(group, slice, slices, row);
        }
    }

    boolean isForManyProcesses() {
        return journal.isForManyProcesses();
    }

    Groups groups() {
        return groups;
    }

    Map<String, Projection.Part> projections() {
        return projections;
    }

    /**
     * {@return figures of what the store does, for meters and pages} Nothing is read from the database, so the
     * figures do not show what other processes do, and {@code parked} is half a minute old at most.
     *
     * <p>Of the store: {@code commits}, {@code commit.turns} and {@code commit.seconds}, which only grow. Of each
     * kind of actors: {@code keys.loaded}, {@code outbox.keys} with messages to be sent, {@code outbox.failing} of
     * them, {@code outbox.oldest.seconds}, {@code reminders.soon} (some thousand at most), {@code
     * reminders.late.seconds}, and {@code parked}. Of each queue that does work here: {@code queue.working}, {@code
     * queue.late.seconds}, and {@code parked}. Of each part of a projection: {@code projection.lag.seconds}.
     */
    public List<Figure> figures() {
        var figures = new ArrayList<>(
                List.of(new Figure("commits", "", commits.sum()), new Figure("commit.turns", "", turns.sum()),
                        new Figure("commit.seconds", "", nanos.sum() / 1e9)));
        groups.addTo(figures);
        projections.forEach((name, part) -> figures
                .add(new Figure("projection.lag.seconds", name, part.lag().toMillis() / 1e3)));
        return figures;
    }

    /** Returns the figures of actors of a kind or of a projection, those of the store, and other rows, as a section of a dump. */
    DumpSection section(String title, String of, List<List<String>> others) {
        var rows = new ArrayList<List<String>>();
        figures().stream().filter(figure -> figure.of().equals(of) || figure.of().isEmpty())
                .forEach(figure -> rows.add(List.of((figure.of().isEmpty() ? "store." : "") + figure.name(),
                        BigDecimal.valueOf(figure.value()).stripTrailingZeros().toPlainString())));
        rows.addAll(others);
        return new DumpSection(title, List.of("what", "value"), rows);
    }

    /**
     * One number of what a store does.
     *
     * @param name what the number is
     * @param of the kind of actors, or the projection; empty if it is the store
     * @param value the number
     */
    public record Figure(String name, String of, double value) {
        /** Checks the components. */
        public Figure {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(of, "of");
        }
    }

    /** Something that a thread of the store does with the journal. It uses no field that its caller changes. */
    @FunctionalInterface
    interface Access<T> {
        T to(Journal journal) throws Exception;
    }

    /** Something that has no result. */
    @FunctionalInterface
    interface Work {
        void doWith(Journal journal) throws Exception;

        default Access<Boolean> access() {
            return journal -> {
                doWith(journal);
                return true;
            };
        }
    }

    private List<Object> write(List<Change> changes) throws Exception {
        if (changes.getFirst() instanceof Alone alone) {
            return List.of(alone.access().to(journal)); // no other change is in its group
        }
        var appends = new ArrayList<Append>();
        var sent = new ArrayList<Sent>();
        var postponed = new ArrayList<Reminder>();
        for (var change : changes) {
            switch (change) {
                case Append append -> appends.add(append);
                case Clear clear -> sent.add(clear.sent());
                case Postpone postpone -> postponed.add(postpone.reminder());
                case Alone alone -> throw new AssertionError("not alone: " + alone);
            }
        }
        var written = commit(appends);
        try {
            if (!sent.isEmpty()) {
                journal.sent(sent);
            }
        } catch (Exception e) {
            // The turns are durable. A message that is sent again has its id.
            LOG.warn("{} turns could not be marked as sent; their messages are sent again later",
                    sent.size(), e);
        }
        boolean isPostponed = postponed(postponed);
        if (!written.isEmpty()) {
            projections.values().forEach(Projection.Part::wake);
        }
        return changes.stream().<Object>map(change -> switch (change) {
            case Append append -> written.contains(append);
            case Postpone postpone -> isPostponed;
            default -> true;
        }).toList();
    }

    /** Writes failed tries of reminders. Returns false if that fails; the turns of the group are durable all the same. */
    private boolean postponed(List<Reminder> reminders) {
        try {
            if (!reminders.isEmpty()) {
                journal.postpone(reminders);
            }
            return true;
        } catch (Exception e) {
            LOG.warn("the failed tries of {} reminders could not be written", reminders.size(), e);
            return false;
        }
    }

    /** Writes turns, and returns those that were written. Turns behind one that was not are left out, now and later. */
    private Set<Append> commit(List<Append> all) throws Exception {
        var written = Collections.<Append>newSetFromMap(new IdentityHashMap<>());
        // mutant: turn-behind-a-fenced-one-is-written
        var appends = all.stream().filter(append -> append.sequence().takes(append.turn())).toList();
        if (appends.isEmpty()) {
            return written;
        }
        BitSet bits;
        long begin = scope.time().nanoTime();
        try {
            bits = journal.commit(appends.stream().map(Append::turn).toList());
        } catch (Exception | Error e) {
            appends.forEach(append -> append.sequence().markBroken());
            throw e;
        }
        commits.increment();
        turns.add(bits.cardinality());
        nanos.add(scope.time().nanoTime() - begin);
        for (int i = 0; i < appends.size(); i++) {
            // mutant: fenced-turn-is-believed-written
            if (bits.get(i)) {
                written.add(appends.get(i));
            } else {
                appends.get(i).sequence().markBroken();
            }
        }
        return written;
    }

    private List<Object> read(List<Look> looks) throws Exception {
        var ids = looks.stream().filter(Look.Log.class::isInstance).map(look -> ((Look.Log) look).id())
                .distinct()
                .toList();
        var logs = ids.isEmpty() ? Map.<Id, Loaded>of() : journal.load(ids);
        var checked =
                looks.stream().filter(Look.Newest.class::isInstance).map(look -> ((Look.Newest) look).id())
                        .distinct().toList();
        var revisions = checked.isEmpty() ? Map.<Id, Long>of() : journal.revisions(checked);
        var results = new ArrayList<Object>();
        for (var look : looks) {
            results.add(switch (look) {
                case Look.Log log -> logs.getOrDefault(log.id(), Loaded.NOTHING);
                case Look.Newest newest -> revisions.getOrDefault(newest.id(), 0L);
                case Look.One one -> one.access().to(journal);
            });
        }
        return results;
    }

    boolean isClosed() {
        return closed.get();
    }

    void requireOpen() {
        if (isClosed()) {
            throw new IllegalStateException(GroupWork.CLOSED);
        }
    }

    /** Closes the store, after what waits to be written; projections end first. Closing it again does nothing. */
    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        projections.values().forEach(Projection.Part::close);
        scope.close();
        writes.close();
        reads.close();
        try {
            journal.close();
        } catch (IOException e) {
            throw new IllegalStateException("the store could not be closed: " + e.getMessage(), e);
        }
    }

    /** What is written to a journal. */
    sealed interface Change {
        /** How many bytes this change adds to a transaction. */
        default long bytes() {
            return 0;
        }
    }

    /**
     * A turn is added to the log of its key; true if it was, false if another writer has been there, or if a turn before
     * it in its sequence was not added.
     */
    private record Append(Turn turn, Sequence sequence) implements Change {
        @Override
        public long bytes() {
            return TurnSize.of(turn);
        }
    }

    /** The outbox of a turn is emptied. */
    private record Clear(Sent sent) implements Change {
    }

    /** The failed tries of a reminder are kept. */
    private record Postpone(Reminder reminder) implements Change {
        @Override
        public long bytes() {
            return reminder.message().length;
        }
    }

    /** Something else is done. No turn is written with it, since it may take long, and may fail. */
    private record Alone(Access<?> access) implements Change {
        /** More than a group may have, so it is done alone. */
        @Override
        public long bytes() {
            return TurnSize.MOST_OF_TRANSACTION + 1;
        }
    }

    /** What is read from a journal. */
    sealed interface Look {
        /** How much of {@code MOST_LOADS} it takes up. */
        default long size() {
            return 1;
        }

        /** The log of a key: {@link Loaded}. */
        record Log(Id id) implements Look {
        }

        /** The newest revision of a key: {@code Long}, 0 if there is none. */
        record Newest(Id id) implements Look {
        }

        /** Something that is not read for many at once. It is done alone, so it fails no other look. */
        record One(Access<?> access) implements Look {
            @Override
            public long size() {
                return MOST_LOADS;
            }
        }
    }
}
