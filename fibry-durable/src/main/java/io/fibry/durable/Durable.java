package io.fibry.durable;

import io.fibry.ActorException;
import io.fibry.ActorScope;
import io.fibry.codec.Codec;
import io.fibry.codec.CodecOptions;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Turn;
import io.fibry.keyed.KeyedActors;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes durable actors: keyed actors whose state survives the end of their process. Objects are immutable.
 *
 * <pre>{@code
 * var accounts = Durable.of(store, "accounts", Balance.class, Balance.NONE, Event.class, Balance::apply)
 *         .keyed(scope, Command.class, Answer.class, Command::account,
 *                 (self, command) -> {
 *                     self.persist(new Deposited(command.cents()));
 *                     return new Done(self.state().cents());
 *                 });
 * }</pre>
 *
 * <p>States, events, messages and answers are records, enums, sealed interfaces of them, or values of the JDK, as {@link
 * io.fibry.codec.Codec} knows them. States are immutable: a new state is another object.
 *
 * @param <S> type of the state
 * @param <E> type of the events
 */
public final class Durable<S, E> {
    private static final Duration LONGEST = Duration.ofDays(365_250);

    private final Spec<S, E> spec;

    private Durable(Spec<S, E> spec) {
        this.spec = spec;
    }

    /**
     * {@return a maker of actors whose state is made of events} The function that applies an event to a state is pure: it
     * does nothing but return the next state, always the same one. It is called again for all events since the last
     * snapshot when the state is read.
     *
     * @param <S> type of the state
     * @param <E> type of the events
     * @param store keeps the logs
     * @param name names the logs of these actors in the store; it must stay the same
     * @param states class of the states
     * @param first the state of a key without events
     * @param events class of the events
     * @param apply returns the state after an event
     */
    public static <S, E> Durable<S, E> of(DurableStore store, String name, Class<S> states, S first,
            Class<E> events,
            BiFunction<? super S, ? super E, ? extends S> apply) {
        return new Durable<>(new Spec<>(Objects.requireNonNull(store, "store"), checked(name),
                Objects.requireNonNull(states, "states"), Objects.requireNonNull(first, "first"),
                Objects.requireNonNull(events, "events"), Objects.requireNonNull(apply, "apply"),
                new Settings()));
    }

    /**
     * {@return a maker of actors whose events are their states: what is persisted is the new state}
     *
     * @param <S> type of the state
     * @param store keeps the states
     * @param name names the states of these actors in the store; it must stay the same
     * @param states class of the states
     * @param first the first state of a key
     */
    public static <S> Durable<S, S> stateOnly(DurableStore store, String name, Class<S> states, S first) {
        return of(store, name, states, first, states, (before, after) -> after).snapshotEvery(1)
                .with(settings -> settings.isStateOnly = true);
    }

    private static String checked(String name) {
        Id.text("name of durable actors", Objects.requireNonNull(name, "name"), Id.MOST_NAME);
        if (name.isBlank() || name.contains("/")) {
            throw new IllegalArgumentException(
                    "the name of durable actors has letters and no slash: '" + name + "'");
        }
        return name;
    }

    /**
     * Sets after how many turns a snapshot is written, with the turn. The usual number is 100.
     *
     * @param turns the number, at least 1
     * @return a maker with this number
     */
    public Durable<S, E> snapshotEvery(int turns) {
        if (turns < 1) {
            throw new IllegalArgumentException("a snapshot comes after at least 1 turn, not " + turns);
        }
        return with(settings -> settings.snapshotEvery = turns);
    }

    /**
     * Keeps the turns that a snapshot covers for a time, so that {@link #history} returns them. Without this they are deleted
     * after a few minutes. The turns of a key that was {@linkplain DurableContext#delete() deleted} are kept as well. Set the
     * same time in all processes that use one store. Events that are kept take room in the store; a
     * restart does not read them.
     *
     * @param time the shortest time for which turns are kept; not negative. More than a thousand years count as a thousand
     * @return a maker with this time
     */
    public Durable<S, E> keepHistory(Duration time) {
        if (Objects.requireNonNull(time, "time").isNegative()) {
            throw new IllegalArgumentException("a history is kept for a time that is not negative: " + time);
        }
        return with(settings -> settings.history = bounded(time));
    }

    private static Duration bounded(Duration time) {
        return time.compareTo(LONGEST) > 0 ? LONGEST : time;
    }

    /**
     * Reads the turns of a key that the store still has, the oldest first: all that {@link #keepHistory} keeps, and those after
     * the last snapshot. No actor is made. A turn without events, such as one that only sends messages, is among them.
     *
     * @param key the key as text, as {@link DurableContext#key()} returns it
     * @param after only turns with a higher revision are read; 0 for all
     * @param most how many turns to read at most; for the next ones call this again with the revision of the last one
     * @return the turns
     * @throws InterruptedException if the thread was interrupted
     * @throws io.fibry.ActorException if the store fails
     * @throws IllegalStateException if an event cannot be read; the exception names the revision
     */
    public List<Past<E>> history(String key, long after, int most) throws InterruptedException {
        if (most < 1) {
            throw new IllegalArgumentException("a history has at least 1 turn, not " + most);
        }
        var id = new Id(spec.name, key);
        var codec = Codec.of(spec.settings.codec, spec.events);
        return spec.store.read(journal -> journal.history(id, after, most)).stream()
                .map(turn -> Past.of(turn, 0, codec, spec.events))
                .toList();
    }

    /**
     * A turn of the past.
     *
     * @param <E> type of the events
     * @param kind the name of the durable actors
     * @param key the key as text
     * @param revision the number of the turn; the first one of a key is 1
     * @param number the place of the turn among all turns of the store, which never changes: a {@link Projection}
     *     gets later turns with higher numbers; 0 in a history
     * @param at when the turn was handled
     * @param isDeleted whether the turn has deleted the key, before the events
     * @param events the events
     */
    public record Past<E>(String kind, String key, long revision, long number, Instant at, boolean isDeleted,
            List<E> events) {
        /** Checks the components. */
        public Past {
            Objects.requireNonNull(at, "at");
            events = List.copyOf(events);
        }

        static <E> Past<E> of(Turn turn, long number, Codec codec, Class<? extends E> type) {
            return new Past<>(turn.id().group(), turn.id().key(), turn.revision(), number, turn.at(),
                    Frames.isDeleted(turn.events()),
                    List.<E>copyOf(LogReader.events(turn, codec, type)));
        }
    }

    /**
     * Sets for how long the ids of {@linkplain Identified messages} are kept, with the answers. The usual time is an
     * hour. What an outbox has sent is known at least for this time, and as long as the outbox may send it again.
     *
     * @param time the time, more than zero. More than a thousand years count as a thousand
     * @return a maker with this time
     */
    public Durable<S, E> ids(Duration time) {
        if (Objects.requireNonNull(time, "time").isNegative() || time.isZero()) {
            throw new IllegalArgumentException("ids are kept for more than zero: " + time);
        }
        return with(settings -> settings.ids = bounded(time));
    }

    /**
     * Lets a turn without events look whether its state is still the newest before it answers. If it is not, the turn fails
     * with a {@link FencedException}. This matters where several processes write to one store.
     *
     * @return a maker with this
     */
    public Durable<S, E> confirmReads() {
        return with(settings -> settings.confirmReads = true);
    }

    /**
     * Lets an actor handle the next message while what it has persisted is still being written, as long as messages wait.
     * Its turns then share transactions, so one key can have many more turns a second than the disk has flushes. Each
     * answer is held until all that it depends on is durable. If the store fails, or another writer has written to the key,
     * all turns that are under way fail, and the state is read again.
     *
     * <p>A handler may thus see a {@linkplain DurableContext#state() state} that is not durable yet. One that changes
     * something outside calls {@link DurableContext#flush()} first, which waits for the turns before as well. A turn that
     * sends messages, sets or forgets reminders, or deletes its key is written alone.
     *
     * @return a maker with this
     */
    public Durable<S, E> pipelined() {
        return with(settings -> settings.pipelined = true);
    }

    /**
     * Makes actors that the nodes of a cluster share: give what {@link #keyed} returns to {@code Cluster.share} of
     * the module {@code fibry-cluster}, and send to what that returns. The node that is the home of a key sends the
     * messages of its outbox and its reminders. All nodes have one store, such as a database of PostgreSQL. Until
     * they are shared, the actors handle no message.
     *
     * @return a maker with this
     */
    public Durable<S, E> shared() {
        return with(settings -> settings.isShared = true);
    }

    /**
     * Sets how values become bytes, for instance with an {@link io.fibry.codec.Upcaster} that reads events of
     * an earlier version.
     *
     * @param options the options
     * @return a maker with these options
     */
    public Durable<S, E> codec(CodecOptions options) {
        Objects.requireNonNull(options, "options");
        return with(settings -> settings.codec = options);
    }

    /**
     * Parks what fails again and again: messages that keys of this kind send, and their reminders. Without this they
     * are tried for ever. What is parked stays in the store with the reason of its failure, until {@link
     * DurableKeys#sendAgain} or {@link DurableKeys#drop} is called. Later messages of its key go on. While a reminder that is
     * repeated is parked, its later times do not come.
     *
     * @param tries after how many failed tries; at least 1
     * @param atOnce exceptions after which something is parked at the first try, since a repetition would fail as well
     * @return a maker with this
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is read only
    public final Durable<S, E> parkAfter(int tries, Class<? extends Throwable>... atOnce) {
        if (tries < 1) {
            throw new IllegalArgumentException("something is parked after at least 1 try, not " + tries);
        }
        return with(settings -> settings.parking =
                new Parking(tries, List.of(atOnce), settings.parking.standStill()));
    }

    /**
     * Lets a key stand still while one of its messages is parked: later ones wait until that one is handled or dropped.
     *
     * @return a maker with this
     */
    public Durable<S, E> standStill() {
        return with(settings -> settings.parking =
                new Parking(settings.parking.tries(), settings.parking.atOnce(), true));
    }

    /** {@return the keys that the store has, for lists and repairs} */
    public DurableKeys keys() {
        return new DurableKeys(spec);
    }

    Spec<S, E> spec() {
        return spec;
    }

    /**
     * Lets the outboxes of the store send to keyed actors that are not durable. They may get a message more than once. A
     * message is handled when it has been answered. Their name must stay the same.
     *
     * @param <M> type of the messages
     * @param actors the keyed actors, which have a name
     * @param messages class of the messages
     * @return a maker with this
     */
    public <M> Durable<S, E> reaches(KeyedActors<?, M, ?> actors, Class<M> messages) {
        Objects.requireNonNull(actors, "actors");
        Objects.requireNonNull(messages, "messages");
        var all = new ArrayList<>(spec.settings.reached);
        all.add(new PlainTarget<>(actors, messages));
        return with(settings -> settings.reached = List.copyOf(all));
    }

    private Durable<S, E> with(Consumer<Settings> change) {
        var settings = spec.settings.clone();
        change.accept(settings);
        return new Durable<>(new Spec<>(spec.store, spec.name, spec.states, spec.first, spec.events,
                spec.apply, settings));
    }

    /**
     * Sets for how long an actor may have no message before it stops. The usual time is five minutes.
     *
     * @param time the time, more than zero
     * @return a maker with this time
     * @see io.fibry.keyed.KeyedBuilder#idle
     */
    public Durable<S, E> idle(Duration time) {
        if (!Objects.requireNonNull(time, "time").isPositive()) {
            throw new IllegalArgumentException("an actor may be idle for more than zero: " + time);
        }
        return with(settings -> settings.idle = time);
    }

    /**
     * Sets how many actors there may be at the same time. One more key gets an actor when one that is idle has stopped, and
     * its message is refused if there is none. Usually there is no limit.
     *
     * @param actors the number, at least 1
     * @return a maker with this number
     * @see io.fibry.keyed.KeyedBuilder#makeRoom
     */
    public Durable<S, E> atMost(int actors) {
        if (actors < 1) {
            throw new IllegalArgumentException(
                    "at least 1 key has to be allowed to have an actor: " + actors);
        }
        return with(settings -> settings.most = actors);
    }

    /**
     * Makes the actors. The actor of a key reads its state when it gets its first message. When it stops because it is
     * idle, nothing is written. It goes on after a failure, whatever the scope's policy is.
     *
     * @param <K> type of the keys: {@code String}, {@code Long}, {@code Integer}, {@code UUID} or an enum
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param scope the scope of the actors
     * @param messages class of the messages
     * @param answers class of the answers; {@code Void.class} if there are none
     * @param keyOf returns the key of a message; the sender calls it
     * @param handler handles the messages of all keys
     * @return the keyed actors, which end with the scope
     * @throws io.fibry.codec.CodecException if a class cannot be written
     * @throws IllegalStateException if the store has actors with this name already
     */
    public <K, M, R extends @Nullable Object> KeyedActors<K, M, R> keyed(ActorScope scope,
            Class<M> messages, Class<R> answers, Function<? super M, ? extends K> keyOf,
            DurableHandler<S, E, M, R> handler) {
        return new DurableGroup<S, E, K, M, R>(spec, messages, answers, keyOf, handler)
                .start(Objects.requireNonNull(scope, "scope"));
    }

    /** What all groups that a maker makes have in common. */
    record Spec<S, E>(DurableStore store, String name, Class<S> states, S first, Class<E> events,
            BiFunction<? super S, ? super E, ? extends S> apply, Settings settings) {
    }

    /** What a user has chosen, or has left as it is. It is not changed when its maker has been made. */
    static final class Settings implements Cloneable {
        int snapshotEvery = 100;
        Duration history = Duration.ZERO;
        Duration ids = Duration.ofHours(1);
        boolean confirmReads;
        boolean pipelined;
        boolean isShared;
        /** Whether an event is the state after it. */
        boolean isStateOnly;
        CodecOptions codec = CodecOptions.defaults();
        List<PlainTarget<?>> reached = List.of();
        Parking parking = Parking.NEVER;
        Duration idle = Duration.ofMinutes(5);
        int most = Integer.MAX_VALUE;

        @Override
        public Settings clone() {
            try {
                return (Settings) super.clone();
            } catch (CloneNotSupportedException never) {
                throw new AssertionError(never);
            }
        }
    }

    /** After which failures a message is parked, and whether its key stands still then. */
    record Parking(int tries, List<Class<? extends Throwable>> atOnce, boolean standStill) {
        static final Parking NEVER = new Parking(Integer.MAX_VALUE, List.of(), false);

        boolean applies(int failed, Throwable reason) {
            return failed >= tries || atOnce.stream().anyMatch(type -> isOf(type, reason));
        }

        /** Of what another node has thrown, only the class name is known. A class that is not here never matches. */
        private static boolean isOf(Class<?> type, Throwable reason) {
            var loader = type.getClassLoader() != null ? type.getClassLoader()
                    : Thread.currentThread().getContextClassLoader();
            try {
                return type.isInstance(reason) || (reason instanceof ActorException told
                        && type.isAssignableFrom(Class.forName(told.className(), false, loader)));
            } catch (ClassNotFoundException | LinkageError e) {
                return false;
            }
        }
    }
}
