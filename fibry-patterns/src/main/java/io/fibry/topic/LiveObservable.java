package io.fibry.topic;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorException;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.AskTimeoutException;
import io.fibry.Counters;
import io.fibry.MailboxPolicy;
import io.fibry.StopReport;
import io.fibry.function.Handler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What can be observed. A lock guards the state and the changes that wait for observers, so each observer is
 * added between two changes, and all observers have the changes in one order. Nothing that waits is done under the lock, and
 * no code of users.
 */
abstract class LiveObservable<C> {
    /** Guards the state and the changes that wait; no signal is sent under it. */
    final ReentrantLock lock = new ReentrantLock();
    final ActorScope scope;
    private final String name;
    private final ObservableOptions options;
    private final AtomicLong numbers = new AtomicLong();
    private final DeliveryTally past = new DeliveryTally();
    /** Those that get changes. Changed under the lock. */
    private final List<Observer<C>> active = new CopyOnWriteArrayList<>();
    /** Those whose actors have not stopped; guarded by the lock. */
    private final Set<Observer<C>> present = new HashSet<>();
    /** The actors that wait for conditions. A waiter is listed before it reads {@code closed}, which is written before the list is read. */
    private final Set<Actor<Object, ?>> waiting = ConcurrentHashMap.newKeySet();
    /** Written under the lock. */
    private volatile boolean closed;

    LiveObservable(ActorScope scope, String name, ObservableOptions options) {
        this.options = Objects.requireNonNull(options, "options");
        if (Objects.requireNonNull(name, "name").isBlank()) {
            throw new IllegalArgumentException("the name of an observable must not be blank: '" + name + "'");
        }
        this.name = name;
        this.scope = Objects.requireNonNull(scope, "scope").child(name).withoutInterceptors().open();
        this.scope.closeOnExit(this::finish);
    }

    public final String name() {
        return name;
    }

    /** Called under the lock. Returns the changes with which an observer begins. */
    abstract List<C> present();

    /** {@return what the state is now, for texts} */
    abstract String state();

    /** {@return what holds the changes of a new observer} */
    abstract Changes<C> changes(ObserverOptions observer);

    final void requireOpen() {
        if (closed) {
            throw new IllegalStateException(
                    "'" + name + "' is closed; it can be read, and neither changed nor observed");
        }
    }

    /** Called under the lock, with a change. Returns those to be signalled when the lock has been released. */
    final List<Observer<C>> add(C change) {
        List<Observer<C>> waking = List.of();
        for (var observer : active) {
            if (observer.add(change)) {
                if (waking.isEmpty()) {
                    waking = new ArrayList<>(active.size());
                }
                waking.add(observer);
            }
        }
        return waking;
    }

    /** Signals each of them, also if the signal of one of them throws. */
    static void signal(List<? extends Observer<?>> waking) {
        int next = 0;
        try {
            while (next < waking.size()) {
                waking.get(next++).signal();
            }
        } finally {
            if (next < waking.size()) {
                signal(waking.subList(next, waking.size()));
            }
        }
    }

    final ActorBuilder builder(String actor) {
        return options.actors().apply(scope.named(actor)).mailbox(MailboxPolicy.unbounded());
    }

    private String nameOf(String observer) {
        return name + "/" + observer + "-" + numbers.incrementAndGet();
    }

    public final Subscription subscribe(ObserverOptions observer, Handler<? super C> handler) {
        Objects.requireNonNull(handler, "handler");
        return observe(observer, handler, new DeliveryTally(), () -> {
        }, () -> false);
    }

    public final Subscription subscribe(ObserverOptions observer, Actor<? super C, ?> actor) {
        var tally = new DeliveryTally();
        var relay = new ActorRelay<C, C>(castToTake(Objects.requireNonNull(actor, "actor")),
                (source, change) -> change, tally);
        Observer<C> made;
        try {
            made = observe(observer, change -> relay.handle(name, change), tally, relay::forget,
                    relay::hasEnded);
        } catch (RuntimeException | Error refused) {
            relay.forget();
            throw refused;
        }
        relay.closes(made);
        relay.follow();
        return made;
    }

    @SuppressWarnings("unchecked") // an actor that takes more takes these as well
    private static <C> Actor<C, ?> castToTake(Actor<? super C, ?> actor) {
        return (Actor<C, ?>) actor;
    }

    private Observer<C> observe(ObserverOptions observer, Handler<? super C> handler, DeliveryTally tally,
            Runnable atEnd, BooleanSupplier hasEnded) {
        Objects.requireNonNull(observer, "options");
        requireOpen();
        var actorName = nameOf(observer.name());
        var made = new Observer<C>(this, actorName, changes(observer), handler, tally, atEnd, hasEnded,
                self -> builder(actorName)
                        .newActor(Handler.shownAs(handler, (Object signal) -> self.handleNext())));
        attach(made, observer.current(), true);
        requireOpen();
        return made;
    }

    /** If this is closed, the actor of the observer stops, and nothing is attached. */
    private void attach(Observer<C> observer, boolean current, boolean counted) {
        boolean signalled;
        lock.lock();
        try {
            if (closed) {
                observer.actor().askExit();
                return;
            }
            if (counted) {
                present.add(observer);
            }
            active.add(observer);
            if (current) {
                observer.begin(present());
            }
            signalled = observer.becomesSignalled();
        } finally {
            lock.unlock();
        }
        observer.follow();
        if (signalled) {
            observer.signal();
        }
    }

    final void detach(Observer<C> observer) {
        lock.lock();
        try {
            active.remove(observer);
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the observer was one of those that are counted. */
    final boolean forget(Observer<C> observer) {
        lock.lock();
        try {
            observer.lose();
            var isCounted = present.remove(observer);
            if (isCounted) {
                past.add(observer.counters());
            }
            return isCounted;
        } finally {
            lock.unlock();
        }
    }

    /** Tests a condition, now and after changes. The answer fails if this is closed. */
    final <T> CompletableFuture<T> when(AwaitedCondition<? super C, T> condition, @Nullable Duration timeout,
            ObserverOptions observer) {
        var actorName = nameOf("condition");
        var waiter = new Waiter<C, T>(condition, this::closedBefore);
        Actor<Object, T> actor;
        try {
            actor = builder(actorName).newActorWithReturn(waiter::handle);
        } catch (IllegalStateException scopeClosed) {
            return CompletableFuture.failedFuture(closedBefore());
        }
        var observing =
                new Observer<C>(this, actorName, changes(observer), waiter::test, new DeliveryTally(), () -> {
                }, () -> false, self -> actor);
        waiter.observes(observing);
        try {
            var answer = timeout == null ? actor.sendMessageReturn(Waiter.WAIT)
                    : actor.ask(Waiter.WAIT, timeout);
            attach(observing, observer.current(), false);
            assert TopicMarks.here();
            waiting.add(actor);
            if (closed) { // the closer may have read the list before
                waiting.remove(actor);
                observing.close();
                actor.askExit();
                return CompletableFuture.failedFuture(closedBefore());
            }
            actor.sendMessage(Waiter.LOOK);
            var unused = answer.whenComplete((value, failure) -> {
                waiting.remove(actor);
                observing.close();
            });
            return answer;
        } catch (RuntimeException | Error refused) { // by a limit, or since the time limit is not allowed
            observing.close();
            actor.askExit();
            throw refused;
        }
    }

    final ActorStoppedException closedBefore() {
        return new ActorStoppedException("'" + name + "' is closed, and its condition does not hold");
    }

    final boolean isClosed() {
        return closed;
    }

    /** Waits for what {@code when} returns; its exceptions become those of a method that waits. */
    final <T> T await(CompletableFuture<T> answer) throws InterruptedException {
        try {
            return answer.get();
        } catch (InterruptedException e) {
            answer.cancel(false);
            throw e;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ActorStoppedException ? closedBefore() : unchecked(e.getCause());
        }
    }

    final <T> T awaitInTime(Supplier<CompletableFuture<T>> answer, Duration timeout)
            throws InterruptedException, TimeoutException {
        try {
            return await(answer.get());
        } catch (AskTimeoutException late) {
            throw new TimeoutException(
                    "the condition of '" + name + "' has not held within " + timeout + ": " + state()
                            + "; allow more time, or check the condition");
        }
    }

    private static RuntimeException unchecked(@Nullable Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return failure instanceof RuntimeException exception ? exception
                : new ActorException("the condition has failed", failure);
    }

    public final int observers() {
        return (int) active.stream().filter(Observer::isActive).count();
    }

    public final Counters counters() {
        lock.lock();
        try {
            var sum = past.counters();
            for (var observer : present) {
                sum = DeliveryTally.sum(sum, observer.counters());
            }
            return sum;
        } finally {
            lock.unlock();
        }
    }

    public final StopReport stop(Duration deadline) {
        if (!Objects.requireNonNull(deadline, "deadline").isNegative()) {
            shut();
        }
        return scope.stop(deadline);
    }

    public final void close() {
        shut();
        scope.close();
    }

    /** Signals again: the scope would refuse the signal of a thread that has set a value and is late. */
    private void shut() {
        List<Observer<C>> waking;
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            waking = List.copyOf(active);
        } finally {
            lock.unlock();
        }
        signal(waking);
        waiting.forEach(each -> each.sendMessage(Waiter.END));
    }

    private void finish() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
    }

    public final CompletableFuture<StopReport> onStopped() {
        return scope.onStopped();
    }
}
