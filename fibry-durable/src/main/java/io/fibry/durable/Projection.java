package io.fibry.durable;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorException;
import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy.Backoff;
import io.fibry.codec.Codec;
import io.fibry.durable.Durable.Past;
import io.fibry.durable.Durable.Spec;
import io.fibry.durable.Journal.Follower;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Numbered;
import io.fibry.durable.Journal.Slices;
import io.fibry.function.Handler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes something else of the events of durable actors, such as a table for a report. A handler gets the turns of all
 * keys, of one kind or several, in the order of their commits, and those of a key in the order of their revisions.
 * The store keeps the place to which it has come. Objects are immutable.
 *
 * <pre>{@code
 * Projection.<Event>of("sums", accounts).startInTransaction(scope, (connection, batch) -> {
 *     // rows of the same database, which are there if and only if the place has moved
 * });
 * }</pre>
 *
 * @param <E> type of the events
 */
public final class Projection<E> {
    private static final Logger LOG = LoggerFactory.getLogger(Projection.class);
    private static final int PAGE = 1_000;
    private static final Backoff RETRIES = new Backoff(Duration.ofMillis(100), Duration.ofMinutes(1), 0);
    /** When to look for what other processes have committed. */
    private static final Duration LATER = Duration.ofSeconds(1);
    /** When to look for turns that are held up by a transaction that has not ended. */
    private static final Duration SOON = Duration.ofMillis(20);
    /** After which time the log tells that turns are held up. */
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration LONGEST_BATCH = Duration.ofSeconds(10);

    private final String name;
    private final int parts;
    private final List<Durable<?, ? extends E>> kinds;

    private Projection(String name, int parts, List<Durable<?, ? extends E>> kinds) {
        this.name = name;
        this.parts = parts;
        this.kinds = kinds;
    }

    /**
     * {@return a projection of the events of durable actors, all of one store} Their turns are kept until each
     * projection has got them. A projection begins with the first turn of each key: set {@link Durable#keepHistory}
     * if one is to be begun, or rebuilt, when snapshots have been written.
     *
     * @param <E> type of the events
     * @param name names the place in the store
     * @param kinds the durable actors
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is read only
    public static <E> Projection<E> of(String name, Durable<?, ? extends E>... kinds) {
        Id.text("name of a projection", Objects.requireNonNull(name, "name"), Id.MOST_NAME);
        if (kinds.length == 0 || Stream.of(kinds).map(kind -> kind.spec().store()).distinct().count() != 1) {
            throw new IllegalArgumentException("a projection is made of actors of one store: " + name);
        }
        return new Projection<>(name, 1, List.of(kinds));
    }

    /**
     * Divides the keys into parts, which are handled side by side, each by one process at a time. Each part has its own place
     * and its own {@linkplain Batch#isFirst first} batch. {@linkplain Running#drop Drop} a projection before the number is changed.
     *
     * @param number the number of parts
     * @return a projection with these parts
     */
    public Projection<E> parts(int number) {
        if (number < 1) {
            throw new IllegalArgumentException("keys are divided into at least 1 part, not " + number);
        }
        return new Projection<>(name, number, kinds);
    }

    /**
     * Starts the projection. The handler gets each turn at least once: again if it has thrown, or if the process has ended
     * before the place was written. A handler that must not do something twice keeps the highest {@link Past#number()} of what
     * it has done, for each {@link Batch#part} if there are several, and compares. If it throws, the projection stands still and
     * tries again.
     *
     * @param scope the scope of the actors that run the handler
     * @param handler gets the turns
     * @return the projection that runs
     * @throws ActorException if it is new, and the first turns of a key are not in the store any more
     * @throws InterruptedException if the thread was interrupted
     */
    public Running start(ActorScope scope, Handler<? super Batch<E>> handler) throws InterruptedException {
        Objects.requireNonNull(handler, "handler");
        return start(scope, false, (connection, batch) -> handler.handle(batch));
    }

    /**
     * Starts a projection that writes to the database of the store, in the transaction that moves the place: each turn
     * counts once. The writer neither commits nor keeps the connection. With a file, all other writes wait meanwhile.
     *
     * @param scope the scope of the actors that run the writer
     * @param writer writes what it makes of the turns
     * @return the projection that runs
     * @throws ActorException if it is new, and the first turns of a key are not in the store any more
     * @throws InterruptedException if the thread was interrupted
     */
    public Running startInTransaction(ActorScope scope, Writer<E> writer) throws InterruptedException {
        Objects.requireNonNull(writer, "writer");
        return start(scope, true, (connection, batch) -> writer.write(connection.orElseThrow(), batch));
    }

    private Running start(ActorScope scope, boolean inTransaction, Step<E> step) throws InterruptedException {
        var store = kinds.getFirst().spec().store();
        var running = new Running(store);
        try {
            for (int part = 0; part < parts; part++) {
                var partName = parts == 1 ? name : name + "/" + part + "-" + parts;
                var kinds = this.kinds.stream()
                        .collect(Collectors.<Durable<?, ? extends E>, String, Kind<E>>toMap(
                                kind -> kind.spec().name(), kind -> Kind.of(kind.spec())));
                int number = part;
                var slices = new Slices(parts, Set.of(part));
                var follower = store.write(journal -> journal.follow(partName, kinds.keySet()));
                running.add(new Part(partName, store, follower, inTransaction, (connection, from, turns) -> {
                    var past = turns.stream().filter(each -> slices.contains(each.turn().id()))
                            .map(each -> Objects.requireNonNull(kinds.get(each.turn().id().group()))
                                    .past(each))
                            .toList();
                    if (!past.isEmpty() || from == Follower.START) {
                        step.take(connection, new Batch<>(number, from == Follower.START, past));
                    }
                }), scope);
            }
            return running;
        } catch (RuntimeException | InterruptedException e) {
            running.close();
            throw e;
        }
    }

    private interface Step<E> {
        void take(Optional<Connection> connection, Batch<E> batch) throws Exception;
    }

    private record Kind<E>(Codec codec, Class<? extends E> events) {
        static <E> Kind<E> of(Spec<?, ? extends E> spec) {
            return new Kind<>(Codec.of(spec.settings().codec, spec.events()), spec.events());
        }

        Past<E> past(Numbered each) {
            return Past.of(each.turn(), each.number(), codec, events);
        }
    }

    /**
     * Turns, in the order of their commits.
     *
     * @param <E> type of the events
     * @param part the part of the keys to which the turns belong, from 0; 0 without {@link Projection#parts}
     * @param isFirst whether this part begins, or is rebuilt: what was made of it before is to be deleted, and nothing that was
     *     made of other parts. This batch may be empty
     * @param turns the turns
     */
    public record Batch<E>(int part, boolean isFirst, List<Past<E>> turns) {
        /** Copies the list. */
        public Batch {
            turns = List.copyOf(turns);
        }
    }

    /**
     * Writes what it makes of turns.
     *
     * @param <E> type of the events
     */
    @FunctionalInterface
    public interface Writer<E> {
        /**
         * Writes to the database of the store.
         *
         * @param connection the connection, in a transaction
         * @param batch the turns
         * @throws Exception if nothing is to be written; the turns come again
         */
        void write(Connection connection, Batch<E> batch) throws Exception;
    }

    /** A projection that runs in this process. It ends with its scope, or its store. Objects are thread-safe. */
    public static final class Running implements AutoCloseable {
        private final DurableStore store;
        private final List<Part> parts = new ArrayList<>();

        private Running(DurableStore store) {
            this.store = store;
        }

        private void add(Part part, ActorScope scope) {
            if (store.projections().putIfAbsent(part.name, part) != null) {
                part.end();
                throw new IllegalStateException(
                        "the projection " + part.name + " runs already in this process: close it first");
            }
            Actor<Call, Boolean> actor;
            try {
                actor = scope.named("projection-" + part.name).withoutDefaults()
                        .strategy(CreationStrategy.threads()).newActorWithReturn(part::handle);
            } catch (RuntimeException e) {
                part.end();
                throw e;
            }
            part.actor = Optional.of(actor);
            var dumped =
                    scope.addToDumps(() -> store.section("Projection " + part.name, part.name, List.of()));
            actor.closeOnExit(part::end).closeOnExit(dumped::cancel);
            parts.add(part);
            store.requireOpen(); // a store that is closed later stops the actor
            actor.sendMessage(Call.LOOK);
        }

        /**
         * {@return for how long the oldest turn that was not handled has waited} It is zero if all that this process
         * knows of are handled.
         */
        public Duration lag() {
            return parts.stream().map(Part::lag).max(Duration::compareTo).orElse(Duration.ZERO);
        }

        /** Pauses the projection in all processes, also in those to come. Turns are kept meanwhile. */
        public void pause() {
            all(Call.PAUSE);
        }

        /** Lets the projection go on in all processes. */
        public void resume() {
            all(Call.RESUME);
        }

        /**
         * Begins again with the first turns: the next batch is the {@linkplain Batch#isFirst first} one.
         *
         * @throws java.util.concurrent.CompletionException if the first turns of a key are not in the store any more
         */
        public void rebuild() {
            all(Call.REBUILD);
        }

        /**
         * Deletes the place and ends, in this process: the store keeps turns for this projection no longer. First close it in all
         * other processes: one in which it runs begins it again.
         */
        public void drop() {
            all(Call.DROP);
            close();
        }

        /** Ends the projection in this process, after the batch at work, or by an interrupt if that takes longer than ten seconds. */
        @Override
        public void close() {
            parts.forEach(Part::close);
        }

        private void all(Call call) {
            parts.forEach(part -> part.actor.orElseThrow().apply(call));
        }
    }

    private enum Call implements StoreCall {
        /** Something was committed. */
        WAKE,
        /** It is time to look. */
        LOOK, PAUSE, RESUME, REBUILD, DROP
    }

    /** Handles a part of the keys, as the handler of one actor. */
    static final class Part {
        private final String name;
        private final DurableStore store;
        private final Follower follower;
        private final boolean inTransaction;
        private final Journal.Work work;
        /** Set once by the thread that starts the projection. */
        private volatile Optional<Actor<Call, Boolean>> actor = Optional.empty();
        private final AtomicBoolean told = new AtomicBoolean();
        /** When the oldest turn that is known and not handled was written. Written by the actor. */
        private volatile Optional<Instant> behind = Optional.empty();
        private int failed;
        private boolean isToldHeldUp;
        /** Whether the place is dropped, or nobody waits any more. Written by the actor, and by threads that close it. */
        private volatile boolean isOver;

        Part(String name, DurableStore store, Follower follower, boolean inTransaction, Journal.Work work) {
            this.name = name;
            this.store = store;
            this.follower = follower;
            this.inTransaction = inTransaction;
            this.work = work;
        }

        /** Lets the actor look for turns, soon, unless its last look has failed. */
        void wake() {
            if (!told.getAndSet(true)) {
                actor.ifPresent(there -> there.sendMessage(Call.WAKE)); // else the maker of the actor tells it
            }
        }

        /** Ends. A handler that goes on in spite of its interrupt does not move the place. */
        void close() {
            actor.ifPresent(there -> there.stop(LONGEST_BATCH));
            isOver = true;
        }

        Duration lag() {
            var waits = behind.map(at -> Duration.between(at, Instant.now())).orElse(Duration.ZERO);
            return waits.isNegative() ? Duration.ZERO : waits;
        }

        private Boolean handle(ActorContext<Call, Boolean> context, Call call) throws Exception {
            if (call == Call.WAKE && failed > 0) {
                return false; // the next look comes when the pause is over; until then no commit wakes this actor
            }
            switch (call) {
                case WAKE, LOOK -> {
                    told.set(false);
                    if (!isOver) {
                        context.timers().once(this, look(), Call.LOOK);
                    }
                }
                case PAUSE -> follower.pause(true);
                case RESUME -> follower.pause(false);
                case REBUILD -> follower.rewind();
                case DROP -> {
                    isOver = true;
                    follower.forget();
                }
            }
            if (call != Call.WAKE && call != Call.LOOK) {
                context.timers().once(this, Duration.ZERO, Call.LOOK);
            }
            return true;
        }

        /** Does a step, and returns when to do the next one. */
        private Duration look() {
            var isTaken = new AtomicBoolean();
            try {
                var progress = follower.step(PAGE, inTransaction, (connection, from, turns) -> {
                    behind = turns.stream().findFirst().map(each -> each.turn().at()).or(() -> behind);
                    isTaken.set(true);
                    work.take(connection, from, turns);
                    if (isOver) {
                        throw new IllegalStateException("the projection has been closed");
                    }
                });
                if (failed > 0) {
                    LOG.info("the projection {} goes on, after {} tries that have failed", name, failed);
                    failed = 0;
                }
                behind = progress.waiting()
                        .or(() -> progress.mayHaveMore() ? behind : Optional.empty());
                boolean isHeldUp = progress.mayHaveMore() && progress.waiting().isPresent()
                        && !isTaken.get() && lag().compareTo(LONG) > 0;
                if (isHeldUp && !isToldHeldUp) {
                    LOG.warn(
                            "the projection {} is held up for {}: a transaction in its database has written and does not end;"
                                    + " find it in pg_stat_activity, and end it",
                            name, lag());
                }
                isToldHeldUp = isHeldUp;
                return !progress.mayHaveMore() ? LATER : isTaken.get() ? Duration.ZERO : SOON;
            } catch (Exception | Error e) { // an error of the handler may be over soon, too
                failed++;
                var pause = Retries.pause(RETRIES, failed, name);
                LOG.warn(
                        "the projection {} stands still, and the store keeps all turns for it: a batch has failed {} times, and comes again in {};"
                                + " correct its handler, or drop the projection",
                        name, failed, pause, e);
                return pause;
            }
        }

        private void end() {
            store.projections().remove(name, this);
            try {
                follower.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
