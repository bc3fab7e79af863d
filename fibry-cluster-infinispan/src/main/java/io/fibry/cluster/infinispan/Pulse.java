package io.fibry.cluster.infinispan;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Notices that this process did not run for a while, since it was stopped, its machine was suspended, or its garbage collector has taken long. The other nodes may
 * have taken this one for lost meanwhile. It would learn that from them, but only some seconds after it runs again.
 */
final class Pulse {
    private static final Duration BEAT = Duration.ofMillis(100);

    private final LongSupplier nanoTime;
    private final Duration longest;
    private final Consumer<Duration> wasAway;
    private final Thread thread;

    /**
     * Begins to look.
     *
     * @param longest for how long others surely wait for this process
     * @param wasAway is told how long the process did not run, if it was longer than that
     */
    Pulse(String name, Duration longest, Consumer<Duration> wasAway) {
        this(name, longest, wasAway, System::nanoTime);
    }

    Pulse(String name, Duration longest, Consumer<Duration> wasAway, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.longest = longest;
        this.wasAway = wasAway;
        thread = Thread.ofVirtual().name(name).start(this::look);
    }

    private void look() {
        try {
            for (var last = nanoTime.getAsLong();;) {
                Thread.sleep(BEAT);
                var now = nanoTime.getAsLong();
                var away = Duration.ofNanos(now - last);
                if (away.compareTo(longest) > 0) {
                    wasAway.accept(away);
                }
                last = now;
            }
        } catch (InterruptedException closed) {
            // The engine is closed.
        }
    }

    void close() {
        thread.interrupt();
    }
}
