package io.fibry.topic;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorException;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.ActorStoppedException;
import io.fibry.AskTimeoutException;
import io.fibry.Counters;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.StopReport;
import io.fibry.function.Body;
import io.fibry.function.Handler;
import io.fibry.time.Schedule;
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
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A value that is observed. A lock guards the value and the changes that wait for observers, so each observer is added
 * between two changes, and all observers have the changes in one order. Nothing that waits is done under the lock, and no
 * code of users. The class is long because the value, its observers and those who wait for a condition change together.
 */
final class LiveValue<T> implements ObservableValue<T> {
    /** When a message is sent again that a limit of the scope has refused. */
    private static final Schedule AGAIN = Schedule.once(Duration.ofSeconds(1));
    /** As much of a value as the text of an exception shows. */
    private static final int LONGEST = 200;

    /** Guards the value and the changes that wait; no signal is sent under it. */
    final ReentrantLock lock = new ReentrantLock();
    final ActorScope scope;
    private final String name;
    private final AtomicLong numbers = new AtomicLong();
    private final DeliveryTally past = new DeliveryTally();
    /** Those that get changes. Changed under the lock. */
    private final List<Observer<T>> active = new CopyOnWriteArrayList<>();
    /** Those whose actors have not stopped; guarded by the lock. */
    private final Set<Observer<T>> present = new HashSet<>();
    /** The actors that wait for conditions. A waiter is listed before its observer is attached; a close then reads the list. */
    private final Set<Actor<Object, ?>> waiting = ConcurrentHashMap.newKeySet();
    /** Written under the lock. */
    private volatile boolean closed;
    /** Written under the lock. */
    private volatile T value;
    /** The id of the thread that has made the last change. Guarded by the lock. */
    private long changedBy;

    LiveValue(ActorScope scope, String name, T initial) {
        this.value = Objects.requireNonNull(initial, "initial");
        if (Objects.requireNonNull(name, "name").isBlank()) {
            throw new IllegalArgumentException("the name of an observable must not be blank: '" + name + "'");
        }
        this.name = name;
        this.scope = Objects.requireNonNull(scope, "scope").child(name).withoutDefaults().open();
        this.scope.closeOnExit(this::finish);
    }

    @Override
    public String name() {
        return name;
    }

    // ---- The value. ----

    @Override
    public T get() {
        return value;
    }

    @Override
    public T set(T next) {
        Objects.requireNonNull(next, "value");
        while (true) {
            var before = value;
            if (replaceIfSame(before, next)) {
                return before;
            }
        }
    }

    /** Sets the value unless this is closed. */
    void setIfOpen(T next) {
        try {
            set(next);
        } catch (IllegalStateException refused) {
            if (!closed) {
                throw refused;
            }
        }
    }

    @Override
    public boolean compareAndSet(T expected, T next) {
        Objects.requireNonNull(expected, "expected");
        Objects.requireNonNull(next, "value");
        while (true) {
            requireOpen();
            var before = value;
            assert TopicMarks.here();
            if (!expected.equals(before)) {
                return false;
            }
            if (replaceIfSame(before, next)) {
                return true;
            }
        }
    }

    @Override
    public T update(UnaryOperator<T> function) {
        Objects.requireNonNull(function, "function");
        while (true) {
            var before = value;
            var next = Objects.requireNonNull(function.apply(before), "the new value of '" + name + "'");
            if (replaceIfSame(before, next)) {
                return next;
            }
            requireChangeOfAnother();
        }
    }

    /** Throws if the calling thread has made the last change: its function would do so again each time. */
    private void requireChangeOfAnother() {
        lock.lock();
        try {
            if (changedBy == Thread.currentThread().threadId()) {
                throw new IllegalStateException("the function of an update of '" + name + "' sets '" + name
                        + "' itself, so the update would never end; return the new value instead");
            }
        } finally {
            lock.unlock();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException(
                    "'" + name + "' is closed; it can be read, and neither changed nor observed");
        }
    }

    /** Compares by identity: the caller has seen this very object. The values are compared without the lock. */
    @SuppressWarnings("ReferenceEquality")
    private boolean replaceIfSame(T before, T next) {
        var isChange = !next.equals(before);
        assert TopicMarks.here();
        List<Observer<T>> waking = List.of();
        lock.lock();
        try {
            requireOpen();
            // mutant: change-in-between-is-overwritten
            if (before != value) {
                return false;
            }
            if (isChange) {
                value = next;
                changedBy = Thread.currentThread().threadId();
                waking = add(next);
            }
        } finally {
            lock.unlock();
        }
        signal(waking);
        return true;
    }

    /** Called under the lock, with a change. Returns those to be signalled when the lock has been released. */
    private List<Observer<T>> add(T change) {
        List<Observer<T>> waking = List.of();
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
    private static void signal(List<? extends Observer<?>> waking) {
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

    // ---- Observers. ----

    ActorBuilder builder(String actor) {
        return scope.named(actor).mailbox(MailboxPolicy.unbounded());
    }

    /**
     * Sends a message, or has it sent again after a pause if a limit of the scope refuses it, even by an exception:
     * what is observed has changed, so who changes it gets none. Returns false if the actor takes no message any more.
     */
    <M> boolean send(Actor<? super M, ?> actor, M message, Body again) {
        try {
            if (actor.sendMessage(message)) {
                return true;
            }
        } catch (MailboxFullException full) {
            // The actor has reported it.
        }
        try {
            var isOpen = actor.state() != ActorState.STOPPED && actor.state() != ActorState.STOPPING;
            if (isOpen) {
                scope.schedule(AGAIN, again);
            }
            return isOpen;
        } catch (IllegalStateException scopeClosed) {
            return false;
        }
    }

    private String nameOf(String observer) {
        return name + "/" + observer + "-" + numbers.incrementAndGet();
    }

    @Override
    public Subscription subscribe(ObserverOptions observer, Handler<? super T> handler) {
        Objects.requireNonNull(handler, "handler");
        return observe(observer, handler, new DeliveryTally(), () -> {
        }, () -> false);
    }

    @Override
    public Subscription subscribe(ObserverOptions observer, Actor<? super T, ?> actor) {
        var tally = new DeliveryTally();
        var relay = new ActorRelay<T>(Objects.requireNonNull(actor, "actor"), tally);
        Observer<T> made;
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

    private Observer<T> observe(ObserverOptions observer, Handler<? super T> handler, DeliveryTally tally,
            Runnable atEnd, BooleanSupplier hasEnded) {
        Objects.requireNonNull(observer, "options");
        requireOpen();
        var actorName = nameOf(observer.name());
        var most = observer.coalesced() ? 1 : observer.most();
        var made = new Observer<T>(this, actorName, most, handler, tally, atEnd, hasEnded,
                self -> builder(actorName)
                        .newActor(Handler.shownAs(handler, (Object signal) -> self.handleNext())));
        var unused = attach(made, observer.current(), true);
        requireOpen();
        return made;
    }

    /** If this is closed, the actor of the observer stops, nothing is attached, and false is returned. */
    private boolean attach(Observer<T> observer, boolean current, boolean counted) {
        boolean signalled;
        lock.lock();
        try {
            if (closed) {
                observer.actor().askExit();
                return false;
            }
            if (counted) {
                present.add(observer);
            }
            active.add(observer);
            signalled = current && observer.add(value);
        } finally {
            lock.unlock();
        }
        observer.follow();
        if (signalled) {
            observer.signal();
        }
        return true;
    }

    void detach(Observer<T> observer) {
        lock.lock();
        try {
            active.remove(observer);
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the observer was one of those that are counted. */
    boolean forget(Observer<T> observer) {
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

    @Override
    public int observers() {
        return (int) active.stream().filter(Observer::isActive).count();
    }

    @Override
    public Counters counters() {
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

    // ---- Conditions. ----

    @Override
    public CompletableFuture<T> when(Predicate<? super T> condition) {
        return when(Objects.requireNonNull(condition, "condition"), null);
    }

    /** Tests a condition, now and after changes. The answer fails if this is closed. */
    private CompletableFuture<T> when(Predicate<? super T> condition, @Nullable Duration timeout) {
        if (closed) {
            return ofLast(condition);
        }
        var actorName = nameOf("condition");
        var waiter = new Waiter<T>(condition, this::closedBefore);
        Actor<Object, T> actor;
        try {
            actor = builder(actorName).newActorWithReturn(waiter::handle);
        } catch (IllegalStateException scopeClosed) {
            return ofLast(condition);
        }
        var observing = new Observer<T>(this, actorName, ObserverOptions.defaults().most(), waiter::test,
                new DeliveryTally(), () -> {
                }, () -> false, self -> actor);
        waiter.observes(observing);
        try {
            var answer = timeout == null ? actor.sendMessageReturn(Waiter.WAIT)
                    : actor.ask(Waiter.WAIT, timeout);
            waiting.add(actor);
            assert TopicMarks.here();
            if (!attach(observing, true, false)) {
                waiting.remove(actor);
                return ofLast(condition);
            }
            var unused = answer.whenComplete((there, failure) -> {
                waiting.remove(actor);
                observing.close();
            });
            return answer;
        } catch (RuntimeException | Error refused) { // by a limit, or since the time limit is not allowed
            waiting.remove(actor);
            observing.close();
            actor.askExit();
            throw refused;
        }
    }

    /** Tests a condition when there are no more changes. */
    private CompletableFuture<T> ofLast(Predicate<? super T> condition) {
        var last = value;
        return condition.test(last) ? CompletableFuture.completedFuture(last)
                : CompletableFuture.failedFuture(closedBefore());
    }

    private ActorStoppedException closedBefore() {
        return new ActorStoppedException("'" + name + "' is closed, and its condition does not hold");
    }

    @Override
    public T await(Predicate<? super T> condition) throws InterruptedException {
        Objects.requireNonNull(condition, "condition");
        var now = value;
        return condition.test(now) ? now : await(when(condition, null));
    }

    @Override
    public T await(Predicate<? super T> condition, Duration timeout)
            throws InterruptedException, TimeoutException {
        Objects.requireNonNull(condition, "condition");
        Objects.requireNonNull(timeout, "timeout");
        var now = value;
        try {
            return condition.test(now) ? now : await(when(condition, timeout));
        } catch (AskTimeoutException late) {
            throw new TimeoutException("the condition of '" + name + "' has not held within " + timeout
                    + ", or the time of the handler that waits: its value is " + shown(value)
                    + "; allow more time, or check the condition");
        }
    }

    /** Waits for what {@code when} returns; its exceptions become those of a method that waits. */
    private T await(CompletableFuture<T> answer) throws InterruptedException {
        try {
            return answer.get();
        } catch (InterruptedException e) {
            answer.cancel(false);
            throw e;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ActorStoppedException ? closedBefore() : unchecked(e.getCause());
        }
    }

    private static RuntimeException unchecked(@Nullable Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return failure instanceof RuntimeException exception ? exception
                : new ActorException("the condition has failed", failure);
    }

    /** Returns the text of a value, cut off if it is long; its class if the text cannot be made. */
    private static String shown(Object value) {
        try {
            var text = String.valueOf(value.toString());
            return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
        } catch (RuntimeException unreadable) {
            return "an object of " + value.getClass().getName();
        }
    }

    // ---- The end. ----

    boolean isClosed() {
        return closed;
    }

    @Override
    public StopReport stop(Duration deadline) {
        if (!Objects.requireNonNull(deadline, "deadline").isNegative()) {
            shut();
        }
        return scope.stop(deadline);
    }

    @Override
    public void close() {
        shut();
        scope.close();
    }

    /** Signals again: the scope would refuse the signal of a thread that has set a value and is late. */
    private void shut() {
        List<Observer<T>> waking;
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
        for (var each : waiting) {
            try {
                each.sendMessage(Waiter.END);
            } catch (MailboxFullException full) {
                // The actor has reported it, and ends with the scope.
            }
        }
    }

    private void finish() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public CompletableFuture<StopReport> onStopped() {
        return scope.onStopped();
    }

    @Override
    public String toString() {
        return "ObservableValue[" + name + ", observers=" + observers() + (closed ? ", closed" : "") + "]";
    }
}
