package io.fibry.internal.deadline;

import io.fibry.internal.clock.Limited;
import io.fibry.internal.clock.SystemTime;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.Placement;
import io.fibry.internal.run.Runner;
import io.fibry.internal.run.Strategies;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The answers whose time is over, and which are to be completed. The timer thread adds them. One fiber gives each answer
 * that has callbacks a fiber of its own, since callbacks are foreign code: no callback holds up another answer. It lets
 * others run after some answers, however many are late at once.
 *
 * <p>The other answers, the <em>quiet</em> ones, are in no hurry: a thread that waits, reads or adds a callback completes the
 * answer itself. Only a callback that a thread adds later by {@code CompletableFuture.anyOf} or {@code allOf} is
 * not noticed. Therefore a fiber completes the quiet answers soon, and many of them together. If a thread adds
 * such a callback just before the fiber completes the answer, and the callback blocks, it holds up other quiet
 * answers, but no answers that have callbacks. The quiet
 * answers are kept until then, since what such a callback completes does not refer to the answer.
 */
final class LateAnswers {
    /** How long quiet answers wait for others. */
    private static final long PATIENCE_NANOS = 10_000_000;
    /** How many of them do not wait any longer. */
    private static final int MANY = 4_096;
    /** After how many answers a fiber lets others run. An answer with callbacks takes a fiber, a quiet one takes little. */
    private static final int CALLED_BATCH = 64;
    private static final int QUIET_BATCH = 1_024;

    private final Line<TimedAnswer<?>> called;
    private final Line<TimedAnswer<?>> quiet;
    // Accessed by the timer thread only.
    private int quietCount;
    private boolean isFlushSet;

    LateAnswers(Executor fibers) {
        called = new Line<>(fibers, CALLED_BATCH, answer -> answer.completeLate(fibers));
        quiet = new Line<>(fibers, QUIET_BATCH, answer -> answer.completeQuietly(fibers));
    }

    /** Adds an answer. Called by the timer thread. */
    void add(TimedAnswer<?> answer) {
        if (answer.hasCallbacks()) {
            called.add(answer);
            return;
        }
        quiet.offer(answer);
        if (++quietCount >= MANY) {
            startQuiet();
        } else if (!isFlushSet) {
            SystemTime.INSTANCE.limit(new Flush(this, SystemTime.INSTANCE.nanoTime() + PATIENCE_NANOS));
            isFlushSet = true;
        }
    }

    private void startQuiet() {
        quietCount = 0;
        quiet.start();
    }

    /** The time for which quiet answers wait. */
    private record Flush(LateAnswers answers, long due) implements Limited {
        @Override
        public void expire() {
            answers.isFlushSet = false;
            answers.startQuiet();
        }
    }

    /**
     * Things that one fiber at a time takes, in order. A thread first adds a thing and then reads whether a fiber is at
     * work. A fiber that finds nothing first notes that none is at work and then looks once more. So nothing is left.
     * If there is not enough memory for a fiber or for a thing, the things in the queue wait until the next thing is
     * added.
     *
     * @param <T> the things
     */
    static final class Line<T> implements Runnable {
        private final Executor fibers;
        private final int batch;
        private final Consumer<T> step;
        private final ConcurrentLinkedQueue<T> waiting = new ConcurrentLinkedQueue<>();
        /** Read after an addition, and cleared before the last look. */
        private final AtomicBoolean isAtWork = new AtomicBoolean();

        Line(Executor fibers, int batch, Consumer<T> step) {
            this.fibers = fibers;
            this.batch = batch;
            this.step = step;
        }

        void add(T thing) {
            offer(thing);
            assert Interleave.here();
            start();
        }

        /** Adds a thing that waits until this line is started. */
        void offer(T thing) {
            waiting.add(thing);
        }

        /** Starts a fiber, unless one is at work. */
        void start() {
            if (!isAtWork.get() && isAtWork.compareAndSet(false, true)) {
                var started = false;
                try {
                    fibers.execute(this);
                    started = true;
                } finally {
                    if (!started) {
                        isAtWork.set(false); // no memory or stack for a thread: the next thing tries again
                    }
                }
            }
        }

        /** Takes what waits. Called by a fiber. */
        @Override
        public void run() {
            // mutant: late-answer-is-left
            do {
                try {
                    takeAll();
                } finally {
                    assert Interleave.here();
                    isAtWork.set(false);
                }
                assert Interleave.here();
            } while (!waiting.isEmpty() && isAtWork.compareAndSet(false, true));
        }

        private void takeAll() {
            var count = 0;
            for (var next = waiting.peek(); next != null; next = waiting.peek()) {
                step.accept(next); // if this fails, for lack of memory, the next fiber tries again
                waiting.poll();
                if (++count % batch == 0) {
                    letOthersRun();
                }
            }
        }

        private static void letOthersRun() {
            var runner = Runner.current();
            var handoff = Placement.of(Strategies.FIBERS).handoff();
            if (runner == null || handoff == null) {
                Thread.yield();
            } else {
                runner.yieldOrPass(handoff, SystemTime.INSTANCE);
            }
        }
    }
}
