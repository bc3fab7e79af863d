package io.fibry.flow;

import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** What a subscriber asks for. */
final class Asked implements Flow.Subscription {
    final AtomicLong requested = new AtomicLong();
    final AtomicInteger cancels = new AtomicInteger();

    @Override
    public void request(long n) {
        requested.addAndGet(n);
    }

    @Override
    public void cancel() {
        cancels.incrementAndGet();
    }
}
