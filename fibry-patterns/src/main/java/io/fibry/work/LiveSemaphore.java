package io.fibry.work;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.ActorStoppedException;
import io.fibry.AskCycleException;
import io.fibry.AskTimeoutException;
import io.fibry.Counters;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.StopReport;
import io.fibry.message.DeferredReply;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An actor that gives permits out. It keeps the requests that wait, in order, and completes the reply of the first one as
 * soon as there are enough permits. The actor alone changes {@link #free} and {@link #queue}; it changes the queue under the
 * lock of {@link PermitWaits}, which reads it. {@link #held} also loses the permits that a thread releases, before the actor
 * gets to know of that.
 */
final class LiveSemaphore implements ActorSemaphore {
    /** What the actor is told. */
    private sealed interface Signal extends WorkSignal {
    }

    private record Acquire(PermitWait call, Optional<Thread> thread, boolean waits) implements Signal {
        @Override
        public String what() {
            return "a request for " + text(call.count());
        }
    }

    private record Released(Permits permits) implements Signal {
        @Override
        public String what() {
            return "the release of " + text(permits.count);
        }
    }

    private record LeaseOver(Permits permits) implements Signal {
        @Override
        public String what() {
            return "the lease of " + text(permits.count);
        }
    }

    private record Renew(Permits permits) implements Signal {
        @Override
        public String what() {
            return "a new lease of " + text(permits.count);
        }
    }

    private enum Look implements Signal {
        /** A request is over whose place in the queue was not reached. */
        AGAIN;

        @Override
        public String what() {
            return "the end of a request for permits";
        }
    }

    private record Queued(Acquire request, DeferredReply<@Nullable HeldPermits> reply) {
    }

    private final SemaphoreOptions options;
    private final Actor<Signal, @Nullable HeldPermits> actor;
    private final Set<Permits> held = ConcurrentHashMap.newKeySet();
    private final Deque<Queued> queue = new ArrayDeque<>();
    /** How many requests were queued. Used by the actor alone. */
    private long places;
    private final AtomicInteger free;
    private volatile int waiting;

    private LiveSemaphore(ActorScope scope, String name, SemaphoreOptions options,
            CreationStrategy strategy) {
        this.options = options;
        free = new AtomicInteger(options.permits());
        actor = scope.named(name).strategy(strategy).mailbox(MailboxPolicy.unbounded())
                .onFailure(FailurePolicy.resume())
                .<Signal, @Nullable HeldPermits>newActorWithReturn(this::handle);
    }

    static LiveSemaphore open(ActorScope scope, String name, SemaphoreOptions options) {
        return open(scope, name, options, CreationStrategy.fibers());
    }

    /** Makes a semaphore whose actor runs elsewhere, for seeded schedules. */
    static LiveSemaphore open(ActorScope scope, String name, SemaphoreOptions options,
            CreationStrategy strategy) {
        return new LiveSemaphore(Objects.requireNonNull(scope, "scope"), Objects.requireNonNull(name, "name"),
                Objects.requireNonNull(options, "options"), strategy);
    }

    int permits() {
        return options.permits();
    }

    private static String text(int permits) {
        return permits == 1 ? "1 permit" : permits + " permits";
    }

    /** Returns how many permits the threads hold that would release them. A lease ends by itself. */
    Map<Thread, Integer> holders() {
        var holders = new HashMap<Thread, Integer>();
        if (options.lease().isEmpty()) {
            for (var permits : held) {
                if (!permits.wait.isGivenUp()) {
                    permits.thread.ifPresent(thread -> holders.merge(thread, permits.count, Integer::sum));
                }
            }
        }
        return holders;
    }

    /** Returns the waits of threads whose requests are in the queue, in order. Called under the lock of the waits. */
    Stream<PermitWait> line() {
        return queue.stream().map(Queued::request).filter(request -> request.thread.isPresent())
                .map(Acquire::call);
    }

    // ---- Those who acquire. ----

    private PermitWait newWait(int permits, boolean hasLimit) {
        if (permits < 1 || permits > options.permits()) {
            throw new IllegalArgumentException("permits must be from 1 to " + options.permits()
                    + ", which is all that '" + name() + "' has: " + permits);
        }
        return new PermitWait(this, permits, hasLimit);
    }

    private CompletableFuture<@Nullable HeldPermits> ask(Acquire request, Optional<Duration> timeout) {
        var answer = timeout.isPresent() ? actor.sendMessageReturn(request, timeout.get())
                : actor.sendMessageReturn(request);
        var unused = answer.whenComplete((value, failure) -> {
            request.call.end();
            if (failure instanceof CancellationException || failure instanceof AskTimeoutException) {
                // mutant: cancelled-request-holds-up-the-next
                send(Look.AGAIN);
            }
        });
        return answer;
    }

    private @Nullable HeldPermits await(int permits, Optional<Duration> timeout) throws InterruptedException {
        var wait = newWait(permits, timeout.isPresent());
        var answer = ask(new Acquire(wait, Optional.of(Thread.currentThread()), true), timeout);
        try {
            if (answer.isDone()) {
                return answer.get();
            }
            assert SwitchPoints.here();
            var before = PermitWaits.enter(wait);
            try {
                return answer.get();
            } finally {
                PermitWaits.leave(before);
            }
        } catch (InterruptedException | AskCycleException e) {
            wait.giveUp();
            giveUp(answer);
            throw e;
        } catch (ExecutionException e) {
            // mutant: thread-holds-the-permits-of-a-wait-that-is-over
            wait.giveUp();
            if (timeout.isEmpty() && e.getCause() instanceof AskTimeoutException late) {
                var none = new AskTimeoutException(
                        "semaphore '" + name() + "' has not given out " + text(permits)
                                + " within the time limit of the calling handler: " + available() + " of "
                                + options.permits()
                                + " are free; allow more time, or hold permits for a shorter time");
                none.initCause(late);
                throw none;
            }
            throw failure(e.getCause());
        }
    }

    /** What tells of the actor of a semaphore that has stopped would tell the caller little. */
    private RuntimeException failure(@Nullable Throwable cause) {
        if (cause instanceof ActorStoppedException) {
            var stopped = new ActorStoppedException("semaphore '" + name()
                    + "' has stopped: its permits can be released, and no more are given out; open another one");
            stopped.initCause(cause);
            return stopped;
        }
        return cause instanceof RuntimeException known ? known : new CompletionException(cause);
    }

    /** Ends a request. If it has got permits meanwhile, they are released. */
    private static void giveUp(CompletableFuture<@Nullable HeldPermits> answer) {
        assert SwitchPoints.here();
        if (!answer.cancel(false) && answer.state() == Future.State.SUCCESS) {
            var granted = answer.resultNow();
            if (granted != null) {
                // mutant: permits-that-come-with-an-interrupt-are-lost
                granted.close();
            }
        }
    }

    @Override
    public HeldPermits acquire(int permits) throws InterruptedException {
        return Objects.requireNonNull(await(permits, Optional.empty()));
    }

    @Override
    public Optional<HeldPermits> tryAcquire(int permits) {
        try {
            var request = new Acquire(newWait(permits, true), Optional.of(Thread.currentThread()), false);
            return Optional.ofNullable(ask(request, Optional.empty()).join());
        } catch (CompletionException e) {
            throw failure(e.getCause());
        }
    }

    @Override
    public Optional<HeldPermits> tryAcquire(int permits, Duration timeout) throws InterruptedException {
        Objects.requireNonNull(timeout, "timeout");
        if (!timeout.isPositive()) {
            throw new IllegalArgumentException("timeout must be more than zero: " + timeout);
        }
        try {
            return Optional.ofNullable(await(permits, Optional.of(timeout)));
        } catch (AskTimeoutException late) {
            return Optional.empty();
        }
    }

    @Override
    public CompletableFuture<HeldPermits> request(int permits) {
        var answer = ask(new Acquire(newWait(permits, false), Optional.empty(), true), Optional.empty());
        var result = new CompletableFuture<HeldPermits>();
        var unused = answer.whenComplete((granted, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure(failure));
            } else if (granted != null && !result.complete(granted)) {
                granted.close(); // the caller has given up meanwhile
            }
        });
        var givenUp = result.whenComplete((granted, failure) -> answer.cancel(false));
        return result;
    }

    // ---- The actor. ----

    private void send(Signal signal) {
        var state = actor.state();
        if (state != ActorState.STOPPED && state != ActorState.STOPPING) {
            actor.sendMessage(signal);
        }
    }

    private @Nullable HeldPermits handle(ActorContext<Signal, @Nullable HeldPermits> context, Signal signal) {
        switch (signal) {
            case Acquire request -> acquire(context, request);
            case Released(var permits) -> {
                context.timers().cancel(permits);
                free.addAndGet(permits.count);
            }
            case LeaseOver(var permits) -> leaseOver(permits);
            case Renew(var permits) -> {
                if (permits.isHeld()) {
                    setLease(context, permits);
                }
            }
            case Look again -> PermitWaits.change(() -> queue.removeIf(queued -> queued.reply.isDone()));
        }
        grant(context);
        if (signal instanceof LeaseOver(var permits) && permits.wasLate) {
            throw new IllegalStateException("the lease of " + permits + " is over, after "
                    + options.lease().orElseThrow() + ", and " + permits.they()
                    + " taken back: release permits earlier, renew them, or let the lease be longer by"
                    + " SemaphoreOptions");
        }
        return null;
    }

    private void acquire(ActorContext<Signal, @Nullable HeldPermits> context, Acquire request) {
        if (!request.waits && (!queue.isEmpty() || free.get() < request.call.count())) {
            return; // null: the permits are not there
        }
        var reply = context.deferReply();
        var queued = new Queued(request, reply);
        if (queue.isEmpty() && request.call.count() <= free.get()) {
            grant(context, queued);
        } else if (queue.size() >= options.waiting()) {
            reply.fail(new TooManyWaitingException("'" + name() + "' has " + free.get() + " of "
                    + text(options.permits()) + " free, and as many requests wait as may, "
                    + options.waiting()
                    + ": try again later, or let more wait by SemaphoreOptions"));
        } else {
            request.thread.ifPresentOrElse(thread -> queue(thread, queued),
                    () -> PermitWaits.change(() -> queue.add(queued)));
        }
    }

    private void queue(Thread thread, Queued last) {
        var wait = last.request.call;
        PermitWaits.queue(thread, wait, () -> {
            queue.add(last);
            wait.setPlace(++places);
        }).ifPresent(cycle -> {
            assert SwitchPoints.here();
            PermitWaits.change(queue::removeLast);
            last.reply.fail(cycle);
        });
    }

    /** Gives permits to those who wait, in order. */
    private void grant(ActorContext<Signal, @Nullable HeldPermits> context) {
        for (var first = queue.peek(); first != null
                && (first.reply.isDone() || first.request.call.count() <= free.get()); first = queue.peek()) {
            PermitWaits.change(queue::removeFirst);
            if (!first.reply.isDone()) {
                grant(context, first);
            }
        }
        waiting = queue.size();
    }

    private void grant(ActorContext<Signal, @Nullable HeldPermits> context, Queued next) {
        var wait = next.request.call;
        var permits = new Permits(wait, next.request.thread);
        free.addAndGet(-permits.count);
        wait.end(); // before the permits are held: the thread does not wait for what it holds
        held.add(permits);
        setLease(context, permits);
        assert SwitchPoints.here();
        if (!next.reply.complete(permits)) {
            permits.take();
            context.timers().cancel(permits);
            // mutant: permits-of-a-cancelled-request-are-lost
            free.addAndGet(permits.count);
        }
    }

    private void setLease(ActorContext<Signal, ?> context, Permits permits) {
        options.lease().ifPresent(lease -> context.timers().once(permits, lease, new LeaseOver(permits)));
    }

    private void leaseOver(Permits permits) {
        if (permits.take()) {
            permits.wasLate = true;
            free.addAndGet(permits.count);
        }
    }

    /** Permits that are held until a thread takes them back. */
    private final class Permits implements HeldPermits {
        private final PermitWait wait;
        private final int count;
        private volatile Optional<Thread> thread;
        private final AtomicBoolean isTaken = new AtomicBoolean();
        /** Used by the actor alone. */
        private boolean wasLate;

        Permits(PermitWait wait, Optional<Thread> thread) {
            this.wait = wait;
            count = wait.count();
            this.thread = thread;
        }

        /** Returns true to the one thread that makes them free again. */
        private boolean take() {
            assert SwitchPoints.here();
            // mutant: permits-are-given-back-twice
            if (!isTaken.compareAndSet(false, true)) {
                return false;
            }
            held.remove(this);
            return true;
        }

        @Override
        public int count() {
            return count;
        }

        @Override
        public boolean isHeld() {
            return !isTaken.get();
        }

        @Override
        public void release() {
            if (!take()) {
                throw new IllegalStateException(this + (count == 1 ? " is" : " are") + " not held any more: "
                        + they()
                        + " released before, or the lease is over; release permits once, or call close");
            }
            send(new Released(this));
        }

        @Override
        public void close() {
            if (take()) {
                send(new Released(this));
            }
        }

        @Override
        public boolean renew() {
            if (!isHeld()) {
                return false;
            }
            if (options.lease().isPresent()) {
                send(new Renew(this));
            }
            return true;
        }

        @Override
        public HeldPermits boundTo(Actor<?, ?> holder) {
            Objects.requireNonNull(holder, "holder");
            thread = Optional.empty();
            var unused = holder.onStopped().thenRun(this::close);
            return this;
        }

        private String they() {
            return count == 1 ? "it was" : "they were";
        }

        @Override
        public String toString() {
            return text(count) + " of '" + name() + "'"
                    + thread.map(each -> ", acquired by thread '" + each.getName() + "',").orElse("");
        }
    }

    @Override
    public int available() {
        return free.get();
    }

    @Override
    public int waiting() {
        return waiting;
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
        return actor.stop(deadline);
    }

    @Override
    public CompletableFuture<StopReport> onStopped() {
        return actor.onStopped();
    }

    @Override
    public void close() {
        actor.close();
    }

    @Override
    public String toString() {
        return "ActorSemaphore[" + name() + ", available: " + available() + " of " + options.permits()
                + ", waiting: " + waiting() + "]";
    }
}
