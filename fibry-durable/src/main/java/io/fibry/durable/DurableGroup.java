package io.fibry.durable;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.FailurePolicy;
import io.fibry.codec.Codec;
import io.fibry.durable.Durable.Spec;
import io.fibry.durable.DurableStore.Figure;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Slices;
import io.fibry.durable.Journal.Turn;
import io.fibry.internal.keyed.SharedKeys;
import io.fibry.internal.keyed.SliceHomes;
import io.fibry.internal.keyed.SliceWork;
import io.fibry.internal.keyed.SliceWork.HomeRow;
import io.fibry.keyed.KeyedActors;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Durable actors of one kind: how their values become bytes, and the actors that serve them. */
final class DurableGroup<S, E, K, M, R extends @Nullable Object> implements Groups.Target, SliceWork {
    final Spec<S, E> spec;
    final Class<M> messages;
    final Class<R> answers;
    private final Function<? super M, ? extends K> keyOf;
    final DurableHandler<S, E, M, R> handler;
    final Codec codec;
    final LogReader<S, E> log;
    /**
     * Empty until the group begins, which reads the store. Set by the thread that makes the group, in {@link #start},
     * before others get it.
     */
    private volatile Optional<Running<K, R>> running = Optional.empty();
    /** Set before the first slice begins. Set by the thread that shares the group, as a whole. */
    private volatile @Nullable Sharing sharing;
    /** How often others have written to a key of these actors. */
    private final AtomicInteger overtakings = new AtomicInteger();
    private final DurableLoad load = new DurableLoad();

    DurableGroup(Spec<S, E> spec, Class<M> messages, Class<R> answers, Function<? super M, ? extends K> keyOf,
            DurableHandler<S, E, M, R> handler) {
        this.spec = spec;
        this.messages = Objects.requireNonNull(messages, "messages");
        this.answers = Objects.requireNonNull(answers, "answers");
        this.keyOf = Objects.requireNonNull(keyOf, "keyOf");
        this.handler = Objects.requireNonNull(handler, "handler");
        var roots = new LinkedHashSet<Class<?>>();
        roots.add(spec.states());
        roots.add(spec.events());
        roots.add(messages);
        if (answers != Void.class) {
            roots.add(answers);
        }
        codec = Codec.of(spec.settings().codec, roots.toArray(Class<?>[]::new));
        log = new LogReader<>(spec, codec);
    }

    KeyedActors<K, M, R> start(ActorScope scope) {
        spec.store().requireOpen();
        var groups = spec.store().groups();
        var settings = spec.settings();
        // From now on no other group can have the name.
        groups.add(this);
        Runnable leave = () -> {
            groups.remove(this);
            settings.reached.forEach(groups::remove);
        };
        try {
            settings.reached.forEach(groups::add);
            // Resumes: a new actor would not know of the turns under way.
            var keyed = scope.named(name()).onFailure(FailurePolicy.resume()).<K, Object>keyed(this::key)
                    .idle(settings.idle)
                    .atMost(settings.most).makeRoom();
            KeyedActors<K, Object, R> actors = (settings.isShared ? keyed : keyed.immovable())
                    .newActorsWithReturnFrom(
                            key -> new DurableActor<>(this, new Id(name(), text(key)), scope));
            var outbox = serving(scope, "-outbox")
                    .newActor(new Outbox(spec.store(), name(), settings.parking, load));
            var alarms = serving(scope, "-reminders")
                    .newActor(
                            new Alarms(spec.store(), name(), settings.parking, this::fire, this::gone, load));
            running = Optional.of(new Running<>(scope, actors, outbox, alarms));
            var dumped = scope.addToDumps(
                    () -> spec.store().section("Durable actors " + name(), name(), load.rows()));
            outbox.closeOnExit(() -> {
                dumped.cancel();
                leave.run();
            });
            if (settings.isShared) {
                SharedKeys.accompany(actors, this);
            } else {
                beginAlone();
            }
            return forUsers(actors);
        } catch (RuntimeException e) {
            leave.run();
            throw e;
        }
    }

    /**
     * Actors of the group itself lose no message by the mailboxes, the failure policy and the interceptors that the
     * scope has for those of the program.
     */
    private ActorBuilder serving(ActorScope scope, String suffix) {
        return scope.named(name() + suffix).withoutDefaults();
    }

    /** The actors also take deliveries, which the module alone can make. */
    @SuppressWarnings("unchecked") // messages go in only, and all of them are objects
    private KeyedActors<K, M, R> forUsers(KeyedActors<K, Object, R> actors) {
        return (KeyedActors<K, M, R>) (KeyedActors<K, ?, R>) actors;
    }

    private K key(Object message) {
        K key = keyOf
                .apply(messages
                        .cast(message instanceof DurableMessage delivery ? delivery.message() : message));
        if (key != null) {
            text(key); // the sender hears of one that is refused
        }
        return key;
    }

    private String text(Object key) {
        return switch (key) {
            case String text when text.isEmpty() ->
                throw new IllegalArgumentException("a key of " + name()
                        + " is an empty text, which no list shows: let keyOf make one that is not empty");
            case String text -> {
                Id.text("key", text, Id.MOST_KEY);
                yield text;
            }
            case Long number -> number.toString();
            case Integer number -> number.toString();
            case UUID uuid -> uuid.toString();
            case Enum<?> constant -> constant.name();
            default ->
                throw new IllegalArgumentException("a key of " + name() + " is a " + key.getClass().getName()
                        + ", " + key + "; a key of durable actors is a String, Long, Integer, UUID or enum:"
                        + " let keyOf make one of them");
        };
    }

    String keyText(M message) {
        return text(Objects.requireNonNull(keyOf.apply(Objects.requireNonNull(message, "message")), "key"));
    }

    /** Tells the outbox and the alarms what a durable turn has sent and set. */
    void committed(Turn turn) {
        if (turn.outbox().length > 0) {
            tellOutbox(
                    new Outbox.Committed(turn.id(), turn.revision(), Frames.letters(turn.outbox())));
        }
        if (turn.deleted() || !turn.forgotten().isEmpty() || !turn.reminders().isEmpty()) {
            tellAlarms(
                    new Alarms.Changed(turn.id(), turn.deleted(), turn.forgotten(), turn.reminders()));
        }
    }

    /** Lets the actors read their states again, since something else has written a turn. */
    void overtaken(Turn turn) {
        overtakings.incrementAndGet();
        committed(turn);
    }

    int overtakings() {
        return overtakings.get();
    }

    /** Lets nothing leave that a key has sent before. */
    void erased(Id id) {
        tellOutbox(new Outbox.Erased(id));
        tellAlarms(new Alarms.Erased(id));
    }

    /** Lets a reminder come at its time. */
    void due(Reminder reminder) {
        tellAlarms(new Alarms.Changed(reminder.id(), false, Set.of(), List.of(reminder)));
    }

    /** A reminder is not in the store any more: it is not sent. */
    void dropped(Reminder reminder) {
        tellAlarms(new Alarms.Changed(reminder.id(), false, Set.of(reminder.name()), List.of()));
        gone(reminder);
    }

    /** Some keys may not stand still any longer: their messages go on. */
    void gone(Reminder parked) {
        if (parked.isLetter()) {
            tellOutbox(new Outbox.Freed());
        }
    }

    private void tellOutbox(Outbox.Call call) {
        running.ifPresent(now -> now.outbox().sendMessage(call));
    }

    private void tellAlarms(Alarms.Call call) {
        running.ifPresent(now -> now.alarms().sendMessage(call));
    }

    // ---- What goes with the slices of keys. ----

    @Override
    public Optional<String> refusal() {
        return spec.store().isForManyProcesses() ? Optional.empty()
                : Optional.of("the store of the durable actors " + name()
                        + " is a file, which belongs to one process: keep them in PostgreSQL, which all nodes reach");
    }

    @Override
    public void beginAlone() {
        var actors = running.orElseThrow().actors();
        share(new OneHome(actors), actors);
        begin(0, Optional.empty());
    }

    @Override
    public void share(SliceHomes homes, KeyedActors<?, ?, ?> shared) {
        sharing = new Sharing(homes, shared);
    }

    @Override
    public void begin(int slice, Optional<HomeRow> row) {
        int slices = sharing().homes().slices();
        spec.store().begin(name(), slice, slices, row);
        tellOutbox(new Outbox.Begun(slice, slices));
        tellAlarms(new Alarms.Begun(slice, slices));
    }

    @Override
    public void end(int slice) {
        tellOutbox(new Outbox.Ended(slice));
        tellAlarms(new Alarms.Ended(slice));
    }

    @Override
    public Optional<Object> last() {
        return spec.settings().pipelined ? Optional.of(new Last()) : Optional.empty();
    }

    @Override
    public Object identified(String id, Object message) {
        return new DurableMessage(id, message, Optional.empty());
    }

    /** Fails if nodes are to share these actors and do not yet: messages and reminders would not leave. */
    Sharing sharing() {
        var now = sharing;
        if (now == null) {
            throw new IllegalStateException("the durable actors " + name()
                    + " were made with Durable.shared() and are not shared yet: give them to Cluster.share, and send to what that returns");
        }
        return now;
    }

    private CompletableFuture<?> fire(Reminder reminder) {
        var id = reminder.id();
        if (reminder.isLetter()) {
            return spec.store().groups().deliver(Frames.letters(reminder.message()).getFirst(),
                    id.group() + "/" + id.key() + "/" + reminder.name().substring(Reminder.LETTER.length()));
        }
        var message = new DurableMessage(
                id.group() + "/" + id.key() + "/" + reminder.name() + "/" + reminder.at().toEpochMilli(),
                decode(reminder.message()), Optional.of(reminder));
        var homes = sharing().homes();
        return homes.askHere(new Slices(homes.slices(), Set.of()).slice(id),
                () -> running.orElseThrow().actors().ask(message, Outbox.ANSWER));
    }

    @Override
    public String name() {
        return spec.name();
    }

    @Override
    public String kind() {
        return "durable actors";
    }

    @Override
    public boolean isOf(KeyedActors<?, ?, ?> others) {
        var shared = sharing;
        return running.filter(now -> now.actors() == others || (shared != null && shared.actors() == others))
                .isPresent();
    }

    @Override
    public Optional<Duration> history() {
        return Optional.of(spec.settings().history);
    }

    @Override
    public Optional<Instant> idsSince() {
        return running.map(now -> now.scope().time().clock().instant().minus(spec.settings().ids));
    }

    @Override
    public void addTo(List<Figure> figures) {
        running.ifPresent(now -> {
            var time = now.scope().time().clock().instant();
            figures.addAll(List.of(new Figure("keys.loaded", name(), now.actors().live()),
                    new Figure("outbox.keys", name(), load.sending),
                    new Figure("outbox.failing", name(), load.failing),
                    new Figure("outbox.oldest.seconds", name(),
                            load.sending == 0 ? 0 : DurableLoad.seconds(load.oldest, time)),
                    new Figure("reminders.soon", name(), load.soon),
                    new Figure("reminders.late.seconds", name(), DurableLoad.seconds(load.first, time)),
                    new Figure("parked", name(), load.parked)));
        });
    }

    @Override
    public byte[] encode(Object message) {
        return codec.encode(messages.cast(message));
    }

    @Override
    public M decode(byte[] message) {
        return codec.decode(message, messages);
    }

    @Override
    public CompletableFuture<?> deliver(byte[] message, String id) {
        return sharing().homes().ask(id, decode(message), Outbox.ANSWER);
    }

    /** The last message of an actor, which then waits until it has given all answers. */
    record Last() {
    }

    /** The homes of the keys, and the actors as the program knows them. */
    record Sharing(SliceHomes homes, KeyedActors<?, ?, ?> actors) {
    }

    /** This node alone. */
    private record OneHome(KeyedActors<?, Object, ?> actors) implements SliceHomes {
        @Override
        public int slices() {
            return 1;
        }

        @Override
        public CompletableFuture<?> ask(String id, Object message, Duration limit) {
            return actors.ask(new DurableMessage(id, message, Optional.empty()), limit);
        }

        @Override
        public CompletableFuture<?> askHere(int slice, Supplier<? extends CompletableFuture<?>> ask) {
            return ask.get();
        }
    }

    private record Running<K, R extends @Nullable Object>(ActorScope scope, KeyedActors<K, Object, R> actors,
            Actor<Outbox.Call, Void> outbox, Actor<Alarms.Call, Void> alarms) {
    }
}
