package io.fibry.internal.keyed;

import io.fibry.Actor;
import io.fibry.ActorException;
import io.fibry.ActorStoppedException;
import io.fibry.Counters;
import io.fibry.MailboxFullException;
import io.fibry.Request;
import io.fibry.StatefulActor;
import io.fibry.StopReport;
import io.fibry.event.Undelivered;
import io.fibry.event.Undelivered.Cause;
import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior.Disposal;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.ClosingHook;
import io.fibry.internal.actor.Host;
import io.fibry.internal.aside.UrgentLane;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.report.ContentClass;
import io.fibry.internal.report.Fates;
import io.fibry.internal.run.Backoff;
import io.fibry.internal.run.Strategies;
import io.fibry.internal.scope.ActorFactory;
import io.fibry.internal.scope.Builder;
import io.fibry.internal.scope.KeyBehaviors;
import io.fibry.internal.scope.KeyedSpec;
import io.fibry.internal.scope.RequestAsk;
import io.fibry.internal.scope.Scope;
import io.fibry.internal.scope.ScopeSpec;
import io.fibry.internal.scope.Setting;
import io.fibry.keyed.StatefulKeyedActors;
import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages to the actors of their keys. The threads of the senders do all the work. An actor stays in the map
 * until it has ended, so that the maker of the next actor of its key knows for which end that actor has to wait.
 */
public final class Keyed<K, S, M, R extends @Nullable Object>
        implements
            StatefulKeyedActors<K, S, M, R> {
    final Scope crew;
    final ActorSpec spec;
    private final Function<? super M, ? extends K> keyOf;
    private final KeyBehaviors<K> behaviors;
    private final long idleNanos;
    private final int most;
    final boolean isMovable;
    /** A sender adds by {@code putIfAbsent} and {@code replace}; an actor stays listed until it has ended. */
    private final Map<Object, KeyActor> actors = new ConcurrentHashMap<>();
    /**
     * The threads that make the next actors of keys, if the number of actors is limited. A thread is here before it
     * takes a place, and goes when the actor is listed, or cannot be. Other senders to the key wait for these few
     * steps, in which only the strategy may run code of the user.
     */
    private final Map<Object, Thread> makers = new ConcurrentHashMap<>();
    final KeyPlaces places;
    /** Of durable actors. Set by the thread that makes them, before others get the actors. */
    volatile @Nullable SliceWork work;
    /** Whether messages of shared actors may begin. Set by the thread that shares them, before a cluster sends to them. */
    volatile @Nullable BooleanSupplier gate;
    /** The name of the group as which a cluster has these actors. Set by CAS: one group has the actors. */
    final AtomicReference<@Nullable String> group = new AtomicReference<>();

    public Keyed(KeyedSpec<K, M> keyed, KeyBehaviors<K> behaviors) {
        idleNanos = keyed.idleNanos();
        most = keyed.most();
        isMovable = keyed.isMovable();
        places = new KeyPlaces(most, keyed.makesRoom(), actors.values());
        keyOf = keyed.keyOf();
        this.behaviors = behaviors;
        var like = Setting.fitting(keyed.actors(), Setting.Form.KEYED);
        var name = like.nameToGive();
        crew = (Scope) ((ScopeSpec) like.scope().child(name == null ? "keyed" : name)).asCrew(like).open();
        spec = Setting.handDown(like, Setting.Heir.KEY).in(crew, like.strategy());
        try {
            Setting.check(spec);
            var parent = like.parent();
            if (parent != null) {
                endWith(like.scope(), parent);
            }
        } catch (Throwable notMade) {
            crew.close();
            throw notMade;
        }
    }

    /** Makes a child of the parent that stands for the scope of these actors. The end of one of the two ends the other one. */
    private void endWith(Host scope, Cell parent) {
        var child =
                ((Builder) scope.childOf(parent, null)).withoutDefaults().onExitFirst(crew::close)
                        .strategy(Strategies.WAITERS).newActor((Object message) -> {
                        });
        crew.closeOnExit(child::askExit);
    }

    @Override
    public boolean sendMessage(M message) {
        var actor = actorFor(message);
        if (actor == null) {
            refuse(message);
            return false;
        }
        try {
            return handle(actor).sendMessage(message);
        } finally {
            actor.leave();
        }
    }

    @Override
    public boolean sendMessage(M message, Duration timeToLive) {
        Durations.positiveNanos(timeToLive, "timeToLive");
        return send(message, new Sending<>(message, timeToLive));
    }

    @Override
    public boolean sendUrgent(M message) {
        Objects.requireNonNull(message, "message");
        if (spec.layer(UrgentLane.Limit.class) == null) {
            throw UrgentLane.notTaken("the actors of '" + crew.name() + "' take");
        }
        return send(message, new Sending<>(message, null));
    }

    /** Sends a message with a time to live, or an urgent one, which has none. */
    private record Sending<M, R extends @Nullable Object>(M message, @Nullable Duration timeToLive)
            implements
                Predicate<Actor<M, R>> {
        @Override
        public boolean test(Actor<M, R> actor) {
            return timeToLive == null ? actor.sendUrgent(message) : actor.sendMessage(message, timeToLive);
        }
    }

    private boolean send(M message, Predicate<Actor<M, R>> sending) {
        var actor = actorFor(message);
        if (actor == null) {
            refuse(message);
            return false;
        }
        try {
            return sending.test(handle(actor));
        } finally {
            actor.leave();
        }
    }

    @Override
    public CompletableFuture<MessageFate> sendTracked(M message) {
        return track(message, null);
    }

    @Override
    public CompletableFuture<MessageFate> sendTracked(M message, Duration timeToLive) {
        Durations.positiveNanos(timeToLive, "timeToLive");
        return track(message, timeToLive);
    }

    private CompletableFuture<MessageFate> track(M message, @Nullable Duration timeToLive) {
        var actor = actorFor(message);
        if (actor == null) {
            var closed = crew.isClosing();
            return CompletableFuture.completedFuture(
                    new MessageFate.Refused(closed ? Cause.STOPPED : Cause.FULL, refuse(message, closed)));
        }
        try {
            var target = handle(actor);
            return timeToLive == null ? target.sendTracked(message) : target.sendTracked(message, timeToLive);
        } finally {
            actor.leave();
        }
    }

    @Override
    public CompletableFuture<R> sendMessageReturn(M message) {
        return ask(message, new Plain<>(message, null));
    }

    @Override
    public CompletableFuture<R> ask(M message, Duration timeout) {
        Durations.positiveNanos(timeout, "timeout");
        return ask(message, new Plain<>(message, timeout));
    }

    @Override
    public <A extends @Nullable Object> CompletableFuture<A> request(Request<A> request) {
        Objects.requireNonNull(request, "request");
        return ask(message(request), new RequestAsk<>(request, null));
    }

    @Override
    public <A extends @Nullable Object> CompletableFuture<A> request(Request<A> request, Duration timeout) {
        Objects.requireNonNull(request, "request");
        Durations.positiveNanos(timeout, "timeout");
        return ask(message(request), new RequestAsk<>(request, timeout));
    }

    @Override
    public <A extends @Nullable Object> A requestWait(Request<A> request)
            throws ExecutionException, InterruptedException {
        Objects.requireNonNull(request, "request");
        requireNotInterrupted();
        return request(request).get();
    }

    @Override
    public <A extends @Nullable Object> A requestWait(Request<A> request, Duration timeout)
            throws ExecutionException, InterruptedException {
        Objects.requireNonNull(request, "request");
        Durations.positiveNanos(timeout, "timeout");
        requireNotInterrupted();
        return request(request, timeout).get();
    }

    @SuppressWarnings("unchecked") // a request of another protocol fails in the handler, as documented
    private M message(Request<?> request) {
        return (M) request;
    }

    private void requireNotInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException(
                    "interrupted before it asked an actor of '" + crew.name() + "': nothing was sent");
        }
    }

    /** An ask, with a time limit or without. */
    private record Plain<M, R extends @Nullable Object>(M message, @Nullable Duration timeout)
            implements
                Function<Actor<M, R>, CompletableFuture<R>> {
        @Override
        public CompletableFuture<R> apply(Actor<M, R> actor) {
            return timeout == null ? actor.sendMessageReturn(message)
                    : actor.ask(message, timeout);
        }
    }

    private <A extends @Nullable Object> CompletableFuture<A> ask(M message,
            Function<? super Actor<M, R>, CompletableFuture<A>> asking) {
        var actor = actorFor(message);
        if (actor == null) {
            return CompletableFuture.failedFuture(crew.lostAsk(spec, refuse(message)));
        }
        try {
            return asking.apply(handle(actor));
        } finally {
            actor.leave();
        }
    }

    @Override
    public boolean execWithState(K key, Handler<S> code) {
        Objects.requireNonNull(code, "code");
        var actor = actorOf(Objects.requireNonNull(key, "key"));
        if (actor == null) {
            refuse(code);
            return false;
        }
        try {
            return stateful(actor).execWithState(code);
        } finally {
            actor.leave();
        }
    }

    @Override
    public void execWithStateAndWait(K key, Handler<S> code)
            throws ExecutionException, InterruptedException {
        Objects.requireNonNull(code, "code");
        requireNotInterrupted();
        exec(key, code, new CodeForKey.Running<>(code)).get();
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> execFutureWithState(K key,
            ReplyHandler<S, T> code) {
        return exec(key, code, new CodeForKey.Calling<>(code, null));
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> execFutureWithState(K key,
            ReplyHandler<S, T> code, Duration timeout) {
        Durations.positiveNanos(timeout, "timeout");
        return exec(key, code, new CodeForKey.Calling<>(code, timeout));
    }

    private <T extends @Nullable Object> CompletableFuture<T> exec(K key, Object code,
            Function<? super StatefulActor<S, M, R>, CompletableFuture<T>> giving) {
        Objects.requireNonNull(code, "code");
        var actor = actorOf(Objects.requireNonNull(key, "key"));
        if (actor == null) {
            return CompletableFuture.failedFuture(refuse(code));
        }
        try {
            return giving.apply(stateful(actor));
        } finally {
            actor.leave(); // before the caller waits: an actor is not kept by those that wait
        }
    }

    @SuppressWarnings("unchecked") // made below
    private StatefulActor<S, M, R> stateful(KeyActor actor) {
        return (StatefulActor<S, M, R>) actor.cell;
    }

    @SuppressWarnings("unchecked") // made below
    private Actor<M, R> handle(KeyActor actor) {
        return (Actor<M, R>) actor.cell;
    }

    private ActorException refuse(Object message) {
        return refuse(message, crew.isClosing());
    }

    private ActorException refuse(Object message, boolean closed) {
        refused(message, closed ? Cause.STOPPED : Cause.FULL);
        var whom = "'" + crew.name() + "' did not take a message of " + ContentClass.nameOf(message) + ": ";
        return closed
                ? new ActorStoppedException(whom + "it has stopped")
                : new MailboxFullException(whom + most
                        + " keys have an actor, and no more may; stop them sooner, or allow more");
    }

    /** Counts a message that no actor has got as refused, and reports it. */
    void refused(Object message, Cause cause) {
        crew.fates().lose(Fates.Kind.REFUSED, cause);
        crew.fates().remember(crew.name(), message, cause);
        crew.events().report(new Undelivered(crew.name(), message, cause));
    }

    /** Returns the actor for a message, in which the caller is counted as a sender; null if there may be none. */
    private @Nullable KeyActor actorFor(M message) {
        Objects.requireNonNull(message, "message");
        return actorOf(Objects.requireNonNull(keyOf.apply(message), "the key of a message"));
    }

    /** Returns the actor of a key, in which the caller is counted as a sender; null if there may be none. */
    private @Nullable KeyActor actorOf(K key) {
        while (true) {
            var before = actors.get(key);
            if (before != null && before.enter()) {
                return before;
            }
            if (!makeNext(key, before)) {
                return null;
            }
        }
    }

    /** Makes the next actor of a key, unless another thread does; returns false if the key may have none. */
    private boolean makeNext(K key, @Nullable KeyActor before) {
        if (most == Integer.MAX_VALUE) {
            return make(key, before);
        }
        var self = Thread.currentThread();
        var maker = makers.putIfAbsent(key, self);
        if (maker != null) {
            for (var backoff = new Backoff(); maker != self && makers.get(key) == maker; backoff.pause()) {
                assert Interleave.here();
            }
            return maker != self;
        }
        try {
            return actors.get(key) != before || make(key, before);
        } finally {
            makers.remove(key, self);
        }
    }

    private boolean make(K key, @Nullable KeyActor before) {
        var place = places.take(before);
        if (place == null) {
            return false;
        }
        var left = place.leftBy();
        var other = left == before ? null : left;
        var behavior = behaviors.of(key);
        Cell cell = ActorFactory.cell(spec, behavior);
        // mutant: next-actor-of-a-key-does-not-wait
        var fresh = new KeyActor(this, key, cell, idleNanos,
                (before == null ? 0 : 1) + (other == null ? 0 : 1));
        cell.extendedState().add(fresh);
        cell.extendedState().mayBegin = fresh;
        for (var hook : spec.exitHooks()) {
            cell.extendedState().addHook(hook);
        }
        cell.extendedState().addHook(new ClosingHook(new Disposal(behavior)));
        fresh.waitsFor(before, other);
        try {
            fresh.admitTo(crew);
        } catch (Throwable notAdmitted) {
            fresh.giveUp(left);
            if (notAdmitted instanceof IllegalStateException && crew.isClosing()) {
                return false;
            }
            throw notAdmitted;
        }
        if (fresh.isListed()) {
            fresh.begin();
            if (before != null) {
                before.chain(fresh);
            }
        } else {
            cell.askExit(); // another thread was faster, which there is only without a limit
            if (before != null && before != left) {
                fresh.release(before);
            }
        }
        if (left != null && (left != before || !fresh.isListed())) {
            left.chain(fresh);
        }
        return true;
    }

    /** Lists an actor for its key instead of the one before, which may have left; returns false if another one is listed. */
    boolean list(KeyActor actor, @Nullable KeyActor before) {
        assert Interleave.here();
        var isListed = (before != null && actors.replace(actor.key, before, actor))
                || actors.putIfAbsent(actor.key, actor) == null;
        makers.remove(actor.key, Thread.currentThread());
        return isListed;
    }

    void remove(KeyActor actor) {
        actors.remove(actor.key, actor);
    }

    /** All actors that have not ended: of each key the newest one, which ends after the ones before. */
    Collection<KeyActor> all() {
        return actors.values();
    }

    // ---- Queries and the end. ----

    @Override
    public Optional<Actor<M, R>> find(K key) {
        var actor = actors.get(Objects.requireNonNull(key, "key"));
        return actor == null ? Optional.empty() : Optional.of(handle(actor));
    }

    @Override
    public String name() {
        return crew.name();
    }

    @Override
    public int live() {
        return places.taken();
    }

    @Override
    public Counters counters() {
        return crew.counters();
    }

    @Override
    public StopReport stop(Duration deadline) {
        return crew.stop(deadline);
    }

    @Override
    public void close() {
        crew.close();
    }

    @Override
    public String toString() {
        return "KeyedActors[" + crew.name() + ", " + live() + " live]";
    }
}
