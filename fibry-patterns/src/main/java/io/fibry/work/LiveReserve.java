package io.fibry.work;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.AskTimeoutException;
import io.fibry.Counters;
import io.fibry.MailboxPolicy;
import io.fibry.StopReport;
import io.fibry.function.Handler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A list of values under a lock, and an actor that refills it. A thread that finds no value asks the actor. An ask that still
 * finds none is put aside until the refill has ended, so a circle of actors that wait for each other through the reserve is
 * found as for any ask.
 *
 * <p>At most one refill is under way: {@link #filling} is true from the moment in which a thread decides that one is needed
 * until the actor has filled the list or the refill has failed.
 *
 * <p>The list is beside the actor, and not inside it, so that a thread that finds a value does not wait for a refill that runs. Each
 * change of the list is therefore in this class, which makes it long.
 */
final class LiveReserve<T> implements Reserve<T> {
    /** What the actor is told. */
    private sealed interface Signal extends WorkSignal {
    }

    /** An ask for a value. It gets the failure of a refill that comes after {@code failures} others. */
    private record Take(long failures) implements Signal {
        @Override
        public String what() {
            return "a request for a value";
        }
    }

    private enum Due implements Signal {
        REFILL("a refill"),
        /** The pause after a failure is over. */
        AGAIN("a refill after a pause"),
        /** A value was given back. */
        LOOK("a value that was given back");

        private final String text;

        Due(String text) {
            this.text = text;
        }

        @Override
        public String what() {
            return text;
        }
    }

    private final ReserveOptions options;
    private final RetryOptions pauses;
    private final Refill<T> refill;
    private final Handler<? super T> leftover;
    private final Environment environment;
    private final Actor<Signal, T> actor;

    /** Guards values, waiting callers, failures and the refill; no code of the user and no send runs under it. */
    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by the lock.
    private final Deque<T> values = new ArrayDeque<>();
    /** How many asks for a value have no result. */
    private int takers;
    private boolean filling;
    /** Whether the actor waits until it tries again. */
    private boolean pausing;
    private long failures;
    /** How many refills have failed since one has succeeded. */
    private int failuresInARow;
    private @Nullable Throwable failure;
    private boolean begun;
    /** Whether it was told to stop: it needs no further refill, and the signal for one would be reported as lost. */
    private boolean isEnding;
    private boolean ended;

    private LiveReserve(ActorScope scope, String name, ReserveOptions options, Refill<T> refill,
            Handler<? super T> leftover) {
        this.options = options;
        this.refill = refill;
        this.leftover = leftover;
        environment = new Environment(scope, name, event -> {
        });
        var any = RetryOptions.of(Integer.MAX_VALUE, Duration.ZERO, Duration.ZERO);
        pauses = options.backoff().map(any::withBackoff).orElse(any);
        var builder = options.actors().apply(scope.named(name).withoutInterceptors())
                .mailbox(MailboxPolicy.unbounded());
        if (options.waiting() > 0) {
            builder = builder.stash(options.waiting());
        }
        actor = builder.<Signal>onStart(this::begin).onExit(this::end)
                .<Signal, T>newActorWithReturn(this::handle);
        actor.sendMessage(Due.REFILL);
    }

    static <T> LiveReserve<T> open(ActorScope scope, String name, ReserveOptions options, Refill<T> refill,
            Handler<? super T> leftover) {
        return new LiveReserve<>(Objects.requireNonNull(scope, "scope"), Objects.requireNonNull(name, "name"),
                Objects.requireNonNull(options, "options"), Objects.requireNonNull(refill, "refill"),
                Objects.requireNonNull(leftover, "leftover"));
    }

    // ---- Those who take. ----

    @Override
    public Optional<T> tryTake() {
        T value;
        boolean isLow;
        lock.lock();
        try {
            requireOpen();
            value = takers == 0 ? values.poll() : null;
            isLow = becomesLow();
        } finally {
            lock.unlock();
        }
        if (isLow) {
            signal();
        }
        return Optional.ofNullable(value);
    }

    @Override
    public T take() throws InterruptedException {
        return await(next(Optional.empty()));
    }

    @Override
    public T take(Duration timeout) throws InterruptedException {
        Objects.requireNonNull(timeout, "timeout");
        if (!timeout.isPositive()) {
            throw new IllegalArgumentException("timeout must be more than zero: " + timeout);
        }
        return await(next(Optional.of(timeout)));
    }

    @Override
    public CompletableFuture<T> takeLater() {
        try {
            return next(Optional.empty());
        } catch (ActorStoppedException | TooManyWaitingException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    /** Takes a value, or asks the actor for one. */
    private CompletableFuture<T> next(Optional<Duration> timeout) {
        T value;
        Take take;
        boolean isLow;
        lock.lock();
        try {
            requireOpen();
            value = takers == 0 ? values.poll() : null;
            if (value == null) {
                requireRoom();
                takers++;
            }
            take = new Take(failures); // before the refill that may be signalled now
            isLow = becomesLow();
        } finally {
            lock.unlock();
        }
        if (value == null) {
            return ask(take, isLow, timeout);
        }
        if (isLow) {
            signal();
        }
        return CompletableFuture.completedFuture(value);
    }

    /** Called under the lock. */
    private void requireRoom() {
        if (takers >= options.waiting()) {
            throw new TooManyWaitingException("the reserve '" + name()
                    + "' has no value, and as many wait for one as may, " + options.waiting()
                    + ": try again later, let it hold more values, or let more wait by ReserveOptions");
        }
    }

    private CompletableFuture<T> ask(Take take, boolean isLow, Optional<Duration> timeout) {
        try {
            if (isLow) {
                signal();
            }
            var answer = timeout.isPresent() ? actor.ask(take, timeout.get())
                    : actor.sendMessageReturn(take);
            var unused = answer.whenComplete((value, none) -> leave());
            return answer;
        } catch (RuntimeException | Error refused) {
            leave();
            throw refused;
        }
    }

    /** Called under the lock. */
    private void requireOpen() {
        if (ended) {
            throw new ActorStoppedException(
                    "the reserve '" + name() + "' has ended and gives no more values; open another one");
        }
    }

    /** Called under the lock. Returns true if a refill has to be signalled. */
    private boolean becomesLow() {
        if (filling || pausing || isEnding || values.size() >= options.least()) {
            return false;
        }
        filling = true;
        return true;
    }

    /** Has the actor refill the list. If the message is refused, the next one who takes a value signals again. */
    private void signal() {
        boolean isAccepted = false;
        try {
            isAccepted = actor.sendMessage(Due.REFILL);
        } finally {
            if (!isAccepted) {
                lock.lock();
                try {
                    filling = false;
                } finally {
                    lock.unlock();
                }
            }
        }
    }

    private void leave() {
        lock.lock();
        try {
            takers--;
        } finally {
            lock.unlock();
        }
    }

    private T await(CompletableFuture<T> answer) throws InterruptedException {
        try {
            return answer.get();
        } catch (InterruptedException e) {
            assert SwitchPoints.here();
            if (!answer.cancel(false) && answer.state() == Future.State.SUCCESS) {
                // It came at the moment of the interrupt.
                // mutant: value-that-comes-with-an-interrupt-is-lost
                if (giveBack(answer.resultNow())) {
                    // mutant: value-given-back-waits-beside-a-taker
                    actor.sendMessage(Due.LOOK);
                }
            }
            throw e;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof AskTimeoutException late) {
                var noValue =
                        new AskTimeoutException("the reserve '" + name() + "' had no value in time, and "
                                + waiting() + " waited for one: allow more time, or let it hold more values");
                noValue.initCause(late);
                throw noValue;
            }
            throw e.getCause() instanceof RuntimeException known ? known
                    : new CompletionException(e.getCause());
        }
    }

    /** Puts a value back that was not taken after all, before the others. Returns false if it is not needed any more. */
    private boolean giveBack(T value) {
        boolean isKept;
        lock.lock();
        try {
            isKept = !ended && values.size() < options.most();
            if (isKept) {
                values.addFirst(value);
            }
        } finally {
            lock.unlock();
        }
        if (!isKept) {
            try {
                drop(List.of(value));
            } catch (Throwable refused) {
                environment.report(refused);
            }
        }
        return isKept;
    }

    // ---- The actor. ----

    /** Called before the first message, and after a restart, which has cancelled the pause. */
    private void begin(ActorContext<Signal, ?> context) {
        boolean isRestart;
        lock.lock();
        try {
            pausing = false;
            filling = true;
            isRestart = begun;
            begun = true;
        } finally {
            lock.unlock();
        }
        if (isRestart) {
            // mutant: restarted-reserve-is-not-refilled
            context.self().sendMessage(Due.REFILL);
        }
    }

    @SuppressWarnings("NullAway") // an ask has a reply of its own: what is returned is ignored
    private T handle(ActorContext<Signal, T> context, Signal signal) throws Exception {
        switch (signal) {
            case Take take -> serve(context, take);
            case Due.REFILL -> refill(context);
            case Due.AGAIN -> {
                lock.lock();
                try {
                    pausing = false;
                    filling = true;
                } finally {
                    lock.unlock();
                }
                refill(context);
            }
            case Due.LOOK -> lookAgain(context);
        }
        return null;
    }

    private void serve(ActorContext<Signal, T> context, Take take) {
        T value;
        Throwable cause;
        boolean isLow;
        lock.lock();
        try {
            value = values.poll();
            cause = value == null && options.backoff().isEmpty() && take.failures < failures ? failure : null;
            isLow = cause == null && becomesLow();
        } finally {
            lock.unlock();
        }
        assert SwitchPoints.here();
        if (value != null) {
            if (!context.deferReply().complete(value)) {
                // mutant: value-of-a-cancelled-taker-is-lost
                giveBack(value); // the asker has given up meanwhile
                lookAgain(context);
            }
        } else if (cause != null) {
            context.deferReply().fail(new RefillFailedException("the reserve '" + name()
                    + "' has no value, since its refill has failed: take another one to try again, or let the "
                    + "reserve try again by ReserveOptions.withBackoff", cause));
        } else {
            context.stash();
        }
        if (isLow) {
            signal();
        }
    }

    private void lookAgain(ActorContext<Signal, T> context) {
        if (options.waiting() > 0) {
            context.unstashAll();
        }
    }

    private void refill(ActorContext<Signal, T> context) throws Exception {
        int missing;
        lock.lock();
        try {
            missing = pausing ? 0 : options.most() - values.size();
            filling = missing > 0;
        } finally {
            lock.unlock();
        }
        if (missing > 0) {
            try {
                add(Objects.requireNonNull(refill.values(missing), this::noValues), missing);
            } catch (Throwable cause) {
                failed(context, cause);
                throw cause;
            } finally {
                // mutant: refill-does-not-reach-those-who-wait
                lookAgain(context);
            }
        }
    }

    private String noValues() {
        return "the refill of '" + name()
                + "' has returned null; return a list of values, or throw an exception";
    }

    private void add(Collection<? extends T> made, int missing) throws Exception {
        var all = new ArrayList<T>(made.size());
        made.forEach(value -> all.add(Objects.requireNonNull(value, "a value of the refill")));
        if (all.isEmpty()) {
            throw new IllegalStateException("the refill of '" + name()
                    + "' has returned no value, and was asked for " + missing
                    + ": return at least one, or throw an exception");
        }
        boolean isOpen;
        boolean isFull;
        boolean isToGoOn;
        int taken;
        lock.lock();
        try {
            isOpen = !ended;
            // A stuck refill that the actor has abandoned may come late, so the room is not what it was.
            taken = isOpen ? Math.min(all.size(), options.most() - values.size()) : 0;
            values.addAll(all.subList(0, taken));
            failuresInARow = 0;
            isFull = values.size() >= options.most();
            isToGoOn = isOpen && !isFull && !isEnding;
            filling = isToGoOn;
        } finally {
            lock.unlock();
        }
        if (isToGoOn) {
            signal();
        }
        if (taken < all.size()) {
            drop(all.subList(taken, all.size()));
        }
        if (all.size() > missing) {
            throw new IllegalStateException("the refill of '" + name() + "' has returned " + all.size()
                    + " values, and only " + missing + " were missing: the others were not kept");
        }
    }

    private void failed(ActorContext<Signal, T> context, Throwable cause) {
        Duration pause = null;
        lock.lock();
        try {
            // mutant: refill-that-fails-is-the-last
            filling = false;
            failures++;
            failure = cause;
            failuresInARow = Math.min(failuresInARow + 1, Integer.MAX_VALUE - 1);
            if (options.backoff().isPresent()) {
                pausing = true;
                pause = pauses.pauseAfter(failuresInARow);
            }
        } finally {
            lock.unlock();
        }
        if (pause != null) {
            context.timers().once(Due.AGAIN, pause, Due.AGAIN);
        }
    }

    private void end() throws Exception {
        List<T> left;
        lock.lock();
        try {
            ended = true;
            left = List.copyOf(values);
            values.clear();
        } finally {
            lock.unlock();
        }
        drop(left);
    }

    /** Hands values over that are not needed; each of them, also if the code throws. */
    private void drop(List<? extends T> left) throws Exception {
        Exception first = null;
        for (var value : left) {
            try {
                leftover.handle(value);
            } catch (Exception e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    @Override
    public int size() {
        lock.lock();
        try {
            return values.size();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int waiting() {
        lock.lock();
        try {
            return takers;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String name() {
        return actor.name();
    }

    @Override
    public Counters counters() {
        return actor.counters();
    }

    @Override
    public StopReport stop(Duration deadline) {
        if (!Objects.requireNonNull(deadline, "deadline").isNegative()) { // else the actor refuses it
            needNoMore();
        }
        return actor.stop(deadline);
    }

    private void needNoMore() {
        lock.lock();
        try {
            isEnding = true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public CompletableFuture<StopReport> onStopped() {
        return actor.onStopped();
    }

    @Override
    public void close() {
        needNoMore();
        actor.close();
    }

    @Override
    public String toString() {
        return "Reserve[" + name() + ", values: " + size() + ", waiting: " + waiting() + "]";
    }
}
