package io.fibry.internal.actor;

import io.fibry.Actor;
import io.fibry.AskCycleException;
import io.fibry.AskTimeoutException;
import io.fibry.MailboxFullException;
import io.fibry.Request;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.report.ContentClass;
import io.fibry.internal.run.Parking;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future.State;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Several asks that one thread sends and waits for. Immutable; each call makes a {@link Round}, which its thread alone
 * uses.
 *
 * <p>A thread that completes an answer puts it into a queue and then unparks the thread that waits. The waiting
 * thread looks into the queue before each park, and a permit that comes between the two makes the park return at
 * once. So no wake-up is lost.
 *
 * @param asks the asks
 * @param most how many may be without an answer at a time
 * @param nanos how long all may take
 * @param leavesOthers whether the others go on when one fails
 */
public record ManyAsks<R extends @Nullable Object>(List<Ask<R>> asks, int most, long nanos,
        boolean leavesOthers) {
    /**
     * One ask.
     *
     * @param actor the actor
     * @param sender sends the ask with a limit of nanoseconds, which may be {@link Long#MAX_VALUE}
     * @param message the class of the message
     */
    public record Ask<R extends @Nullable Object>(Cell actor, Sender<R> sender, Class<?> message) {
    }

    /** Sends one ask. */
    public interface Sender<R extends @Nullable Object> {
        CompletableFuture<R> send(long nanos);
    }

    // No lambda here: it could be linked on a short stack first, and then fail for ever; see StackReserve.

    private record MessageSender<M, R extends @Nullable Object>(Actor<? super M, R> actor,
            M message) implements Sender<R> {
        @Override
        public CompletableFuture<R> send(long nanos) {
            return nanos == Long.MAX_VALUE
                    ? actor.sendMessageReturn(message)
                    : actor.sendMessageReturn(message, Duration.ofNanos(nanos));
        }
    }

    private record RequestSender<A extends @Nullable Object>(Actor<?, ?> actor,
            Request<A> request) implements Sender<A> {
        @Override
        public CompletableFuture<A> send(long nanos) {
            return nanos == Long.MAX_VALUE ? actor.ask(request) : actor.ask(request, Duration.ofNanos(nanos));
        }
    }

    public static <R extends @Nullable Object> ManyAsks<R> of(List<Ask<R>> asks) {
        return new ManyAsks<>(asks, Integer.MAX_VALUE, Long.MAX_VALUE, false);
    }

    @SuppressWarnings("unchecked") // an answer is read only
    public static <M, R extends @Nullable Object> Ask<R> message(Actor<? super M, ? extends R> to,
            M message) {
        Objects.requireNonNull(message, "message");
        var actor = (Actor<? super M, R>) Objects.requireNonNull(to, "actor");
        return new Ask<>((Cell) actor, new MessageSender<>(actor, message), ContentClass.of(message));
    }

    public static <A extends @Nullable Object> Ask<A> request(Actor<?, ?> to, Request<A> request) {
        Objects.requireNonNull(request, "request");
        var actor = Objects.requireNonNull(to, "actor");
        return new Ask<>((Cell) actor, new RequestSender<>(actor, request), ContentClass.of(request));
    }

    public ManyAsks<R> atMost(int running) {
        return new ManyAsks<>(asks, running, nanos, leavesOthers);
    }

    public ManyAsks<R> within(long newNanos) {
        return new ManyAsks<>(asks, most, newNanos, leavesOthers);
    }

    public ManyAsks<R> leavingOthers() {
        return new ManyAsks<>(asks, most, nanos, true);
    }

    /** Sends all asks at once. */
    public List<CompletableFuture<R>> send() {
        if (most != Integer.MAX_VALUE) {
            throw new IllegalStateException("atMost(" + most
                    + ") needs a thread that waits before it sends the next ask; use await or awaitOutcomes");
        }
        var round = new Round<>(this);
        while (round.hasNext()) {
            round.sendNext();
        }
        return Collections.unmodifiableList(round.sent);
    }

    /** Sends all asks and returns the answers, all of which are complete. */
    public List<CompletableFuture<R>> answers() throws InterruptedException {
        var round = new Round<>(this);
        round.run(false);
        return round.sent;
    }

    /** Sends all asks and returns the values, or throws what the first ask has failed with. */
    public List<R> values() throws ExecutionException, InterruptedException {
        var round = new Round<>(this);
        round.run(true);
        var first = round.firstFailed;
        if (first != null) {
            throw failure(first, round);
        }
        var values = new ArrayList<R>();
        for (var answer : round.sent) {
            values.add(answer.resultNow());
        }
        return Collections.unmodifiableList(values);
    }

    private static ExecutionException failure(CompletableFuture<?> first, Round<?> round) {
        var cause = first.exceptionNow();
        var mine = round.cycle;
        if (mine != null && mine == cause) {
            throw mine;
        }
        var thrown = new ExecutionException(cause);
        for (var other : round.sent) {
            if (other.state() == State.FAILED && other.exceptionNow() != cause) {
                thrown.addSuppressed(other.exceptionNow());
            }
        }
        return thrown;
    }

    @Override
    public String toString() {
        return asks.size() + " asks" + (most == Integer.MAX_VALUE ? "" : ", at most " + most)
                + (nanos == Long.MAX_VALUE ? "" : ", within " + Durations.text(nanos))
                + (leavesOthers ? ", leaving others" : "");
    }

    /** Tells the thread of a round that an answer is complete. */
    private record Completion<R extends @Nullable Object>(Round<R> round, CompletableFuture<R> answer)
            implements
                BiConsumer<R, @Nullable Throwable> {
        @Override
        public void accept(R value, @Nullable Throwable failure) {
            round.done.add(answer);
            LockSupport.unpark(round.thread);
        }
    }

    /** One round of the asks. */
    private static final class Round<R extends @Nullable Object> {
        private final ManyAsks<R> all;
        private final Thread thread = Thread.currentThread();
        private final long begun;
        /** The answers, in the order of the asks. */
        final List<CompletableFuture<R>> sent = new ArrayList<>();
        /** The answers that are complete and that this thread has not yet counted, in the order of their completion. */
        private final Queue<CompletableFuture<R>> done = new ConcurrentLinkedQueue<>();
        private int running;
        /** The index of an answer before which all are complete. */
        private int oldest;
        @Nullable CompletableFuture<R> firstFailed;
        /** The cycle that a wait of the calling thread would have closed. */
        @Nullable AskCycleException cycle;

        Round(ManyAsks<R> all) {
            this.all = all;
            begun = all.asks.isEmpty() ? 0 : now();
        }

        private long now() {
            return all.asks.getFirst().actor().spec.scope.time().nanoTime();
        }

        boolean hasNext() {
            return sent.size() < all.asks.size();
        }

        void sendNext() {
            var ask = all.asks.get(sent.size());
            var left = all.nanos == Long.MAX_VALUE ? Long.MAX_VALUE : all.nanos - (now() - begun);
            CompletableFuture<R> answer;
            if (left <= 0) {
                answer = CompletableFuture.failedFuture(new AskTimeoutException("actor '" + ask.actor().name()
                        + "' was not asked a message of " + ask.message().getName() + ": the "
                        + all.asks.size()
                        + " asks together had " + Durations.text(all.nanos)));
            } else {
                try {
                    answer = ask.sender().send(left);
                } catch (MailboxFullException full) {
                    answer = CompletableFuture.failedFuture(full);
                }
            }
            sent.add(answer);
        }

        /** Sends and waits until all are complete, or one has failed if {@code stopsAtFailure}. */
        void run(boolean stopsAtFailure) throws InterruptedException {
            var leavesOpen = false;
            try {
                while (true) {
                    countDone();
                    if (stopsAtFailure && firstFailed != null) {
                        leavesOpen = all.leavesOthers;
                        return;
                    }
                    if (hasNext() && running < all.most) {
                        requireNotInterrupted();
                        sendNext();
                        running++;
                        var answer = sent.getLast();
                        var unused = answer.whenComplete(new Completion<>(this, answer));
                    } else if (running == 0) {
                        return;
                    } else {
                        await();
                    }
                }
            } finally {
                if (!leavesOpen) {
                    cancelOpen();
                }
            }
        }

        private void cancelOpen() {
            for (var answer : sent) {
                if (!answer.isDone()) {
                    answer.cancel(true);
                }
            }
        }

        private void requireNotInterrupted() throws InterruptedException {
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted when " + sent.size() + " of " + all.asks.size()
                        + " asks were sent and " + running + " of these had no answer");
            }
        }

        private void countDone() {
            for (var answer = done.poll(); answer != null; answer = done.poll()) {
                running--;
                if (firstFailed == null && answer.state() == State.FAILED) {
                    firstFailed = answer;
                }
            }
        }

        /** Waits until any of the answers is complete. A cycle is looked for through the oldest that is not. */
        private void await() throws InterruptedException {
            while (oldest < sent.size() && sent.get(oldest).isDone()) {
                oldest++;
            }
            if (oldest < sent.size() && sent.get(oldest) instanceof Answer<R> answer) {
                try {
                    WaitGraph.enter(answer);
                } catch (AskCycleException cycle) {
                    this.cycle = cycle;
                    answer.completeExceptionally(cycle);
                    return;
                }
                try {
                    awaitDone();
                } finally {
                    WaitGraph.leave();
                }
            } else {
                awaitDone(); // all are complete, and the threads that complete them are about to say which
            }
        }

        private void awaitDone() throws InterruptedException {
            while (done.isEmpty()) {
                requireNotInterrupted();
                Parking.park(this);
            }
        }
    }
}
