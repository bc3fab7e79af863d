package io.fibry.test;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The calls that several threads have made on some data, with their answers, in the order in which they began and
 * ended. It can be checked whether the data has behaved as if each call had happened at one moment between its begin
 * and its end: this is called <i>linearizable</i>. Data that loses an update, or shows an old value, is not.
 *
 * <pre>{@code
 * var history = new History<String, Integer>();
 * // several threads:
 * history.record("add", () -> counter.apply("add"));
 * // at the end:
 * history.assertLinearizable(new Counter());
 * }</pre>
 *
 * <p>Histories are thread-safe.
 *
 * @param <C> type of the calls
 * @param <A> type of the answers
 */
public final class History<C, A extends @Nullable Object> {
    private static final int MOST = 100_000;

    /** Guards the beginnings and ends of calls, whose order is that of real time. */
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Edge<C, A>> edges = new ArrayList<>();
    private final int most;
    private int calls;

    /** A begin or an end of a call. */
    record Edge<C, A extends @Nullable Object>(Call<C, A> call, boolean isEnd) {
    }

    /** A call that was recorded. It is changed under the lock of the history, and read when it is checked. */
    static final class Call<C, A extends @Nullable Object> {
        final C what;
        boolean isAnswered;
        @Nullable A answer;

        Call(C what) {
            this.what = what;
        }

        @Override
        public String toString() {
            return FailureText.of(what)
                    + (isAnswered ? " -> " + FailureText.of(answer) : " (no answer known)");
        }
    }

    /**
     * A call that has begun. Exactly one of its methods is called, when it has ended.
     *
     * @param <A> type of the answers
     */
    public interface Open<A extends @Nullable Object> {
        /**
         * Records the end of the call.
         *
         * @param answer the answer
         * @throws IllegalStateException if the end was recorded before
         */
        void end(A answer);
    }

    /** Makes a history of at most 100,000 calls. */
    public History() {
        this(MOST);
    }

    /**
     * Makes a history.
     *
     * @param most how many calls it takes, at least one
     */
    public History(int most) {
        if (most < 1) {
            throw new IllegalArgumentException("most must be at least 1: " + most);
        }
        this.most = most;
    }

    /**
     * Makes a call, and records it with its answer. If the call throws, its effect is not known: it may have taken place at any
     * time after its begin, or never.
     *
     * @param call what is called
     * @param code makes the call
     * @return its answer
     * @throws Exception what the call throws
     * @throws IllegalStateException if the history is full
     */
    public A record(C call, Callable<? extends A> code) throws Exception {
        Objects.requireNonNull(code, "code");
        var open = begin(call);
        A answer = code.call();
        open.end(answer);
        return answer;
    }

    /**
     * Records the begin of a call, which another thread may end. If its end is never recorded, its effect is not known: it may
     * have taken place at any time after its begin, or never.
     *
     * @param call what is called
     * @return the call, to record its end
     * @throws IllegalStateException if the history is full
     */
    public Open<A> begin(C call) {
        var begun = new Call<C, A>(Objects.requireNonNull(call, "call"));
        lock.lock();
        try {
            if (calls == most) {
                throw new IllegalStateException(
                        "the history has " + most + " calls, which is all it takes: record"
                                + " fewer, or make it larger: new History<>(most)");
            }
            calls++;
            edges.add(new Edge<>(begun, false));
        } finally {
            lock.unlock();
        }
        return answer -> end(begun, answer);
    }

    private void end(Call<C, A> call, A answer) {
        lock.lock();
        try {
            if (call.isAnswered) {
                throw new IllegalStateException("the end of the call was recorded before: " + call);
            }
            call.isAnswered = true;
            call.answer = answer;
            edges.add(new Edge<>(call, true));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns how many calls were recorded.
     *
     * @return the number
     */
    public int size() {
        lock.lock();
        try {
            return calls;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Fails unless the history is linearizable: unless all calls, put into some order that does not contradict their begins and
     * ends, have the answers that the model gives. The check takes time in proportion to the length of the history, and grows
     * quickly with the number of calls that are made at a time, or whose answer is not known. No call may be in progress.
     *
     * @param <S> type of the states of the model
     * @param model what the calls should do
     * @throws AssertionError if no order explains the answers; it shows the first call that cannot be explained, the calls
     *     beside it, and the states before it
     * @throws IllegalStateException if more than 100,000 orders are possible at a time
     */
    public <S> void assertLinearizable(Model<S, C, A> model) {
        Objects.requireNonNull(model, "model");
        var byKey = new LinkedHashMap<Object, List<Edge<C, A>>>();
        lock.lock();
        try {
            for (var edge : edges) {
                byKey.computeIfAbsent(model.key(edge.call.what), key -> new ArrayList<>()).add(edge);
            }
        } finally {
            lock.unlock();
        }
        byKey.forEach((key, its) -> new Linearization<>(model, key).check(its));
    }

    @Override
    public String toString() {
        return "History[calls: " + size() + "]";
    }
}
