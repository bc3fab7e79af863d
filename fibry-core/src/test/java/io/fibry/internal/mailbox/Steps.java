package io.fibry.internal.mailbox;

import io.fibry.internal.memory.Interleave;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** Steps between those of one thread that uses a mailbox, and the messages of such a test, which are numbers. */
final class Steps {
    private Steps() {
    }

    static List<Object> numbers(int from, int to) {
        var all = new ArrayList<Object>();
        for (int n = from; n < to; n++) {
            all.add(n);
        }
        return all;
    }

    /** Does something at the mark with this number that the calling thread meets. */
    static void atMark(int number, Runnable action) {
        atMark(number, () -> true, action);
    }

    /** Does something at the mark with this number, of those that the calling thread meets while a condition holds. */
    static void atMark(int number, BooleanSupplier condition, Runnable action) {
        var me = Thread.currentThread();
        var met = new AtomicInteger();
        Interleave.hook(() -> {
            if (Thread.currentThread() == me && condition.getAsBoolean() && met.incrementAndGet() == number) {
                action.run();
            }
        });
    }

    /** Does nothing at marks from now on. */
    static void end() {
        Interleave.hook(() -> {
        });
    }
}
