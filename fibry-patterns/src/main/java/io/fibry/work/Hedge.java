package io.fibry.work;

import io.fibry.ActorScope;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Starts a call once more if it has no result after a delay. The first attempt that succeeds gives the result, and the others
 * are cancelled: an ask that waits is taken back, and the code of {@link Call#inActor} is interrupted. The call has failed if
 * all attempts that have begun have failed, with the failure that came first; a failure does not start another attempt. An
 * attempt that cannot begin since no actor can be made for it has failed. The call has to be one that may be made twice.
 *
 * <p>The time limit of the calling handler holds as for a {@link Retry}. Objects are thread-safe, and one of them serves any
 * number of calls. When its scope ends, the calls that have not begun their last attempt fail.
 */
public final class Hedge implements CallPolicy {
    private final Environment environment;
    private final HedgeOptions options;

    private Hedge(Environment environment, HedgeOptions options) {
        this.environment = environment;
        this.options = options;
    }

    /**
     * Makes a hedge.
     *
     * @param scope has the clock, and the actors in which further attempts begin
     * @param name the name in events and exceptions
     * @param options the options
     * @return the hedge
     * @throws IllegalStateException if the scope is closed
     */
    public static Hedge open(ActorScope scope, String name, HedgeOptions options) {
        var listener = Objects.requireNonNull(options, "options").listener();
        return new Hedge(Environment.ofPolicy("hedge", scope, name, listener), options);
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> start(Call<T> call) {
        var race = new Race<>(new PendingCall<>(environment, call));
        race.follow(1, race.pending.start());
        race.startNext(1);
        return race.pending.result();
    }

    /** The attempts of one call. */
    private final class Race<T extends @Nullable Object> {
        private final PendingCall<T> pending;
        /** Guards the counts: the last failure of the attempts that have begun decides. */
        private final ReentrantLock lock = new ReentrantLock();
        private int begun = 1;
        private int failed;
        private @Nullable Throwable first;

        Race(PendingCall<T> pending) {
            this.pending = pending;
        }

        void follow(int number, CompletableFuture<T> attempt) {
            var unused = attempt.whenComplete((value, failure) -> {
                if (failure != null) {
                    failed(PendingCall.causeOf(failure));
                } else if (pending.result().complete(value) && begunSoFar() > 1) {
                    environment.tell(new WorkEvent.HedgeWon(environment.name(), number));
                }
            });
        }

        private int begunSoFar() {
            lock.lock();
            try {
                return begun;
            } finally {
                lock.unlock();
            }
        }

        private void failed(Throwable cause) {
            Throwable all = null;
            lock.lock();
            try {
                first = first == null ? cause : first;
                failed++;
                if (failed == begun) {
                    all = first;
                }
            } finally {
                lock.unlock();
            }
            if (all != null) {
                pending.result().completeExceptionally(all);
            }
        }

        void startNext(int before) {
            if (before == options.attempts() || pending.result().isDone()) {
                return;
            }
            pending.later(options.delay(), LaterCode.UNTIL_END, () -> {
                if (begin()) {
                    environment.tell(new WorkEvent.HedgeStarted(environment.name(), before + 1));
                    pending.startApart(attempt -> {
                        follow(before + 1, attempt);
                        startNext(before + 1);
                    }, this::failed);
                }
            });
        }

        /** Counts an attempt that is about to begin, unless all have failed before it. */
        private boolean begin() {
            lock.lock();
            try {
                if (failed == begun) {
                    return false;
                }
                begun++;
                return true;
            } finally {
                lock.unlock();
            }
        }
    }

    @Override
    public String toString() {
        return "Hedge[" + environment.name() + ", after " + options.delay() + "]";
    }
}
