package io.fibry.testing;

import io.fibry.CreationStrategy;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The ways in which actors can be run. What {@link #create} makes is cleaned up after the test. */
public enum Strategy {
    THREADS {
        @Override
        public CreationStrategy create() {
            return CreationStrategy.threads();
        }
    },
    FIBERS {
        @Override
        public CreationStrategy create() {
            return CreationStrategy.fibers();
        }
    },
    POOL {
        @Override
        public CreationStrategy create() {
            return CreationStrategy.pool(2);
        }
    },
    CALLER {
        @Override
        public CreationStrategy create() {
            return CreationStrategy.caller();
        }
    },
    /**
     * A cached thread pool whose threads wait for a second. In the frames of a thread that waits in its queue, the JDK's code may still
     * refer to the task of another one; with the usual minute it would do so for as long as a test looks for what is retained.
     */
    EXECUTOR {
        @Override
        public CreationStrategy create() {
            return CreationStrategy
                    .of(cleanedUp(new ThreadPoolExecutor(0, Integer.MAX_VALUE, 1, TimeUnit.SECONDS,
                            new SynchronousQueue<>(), DAEMONS)));
        }
    },
    /** Written by a user: a thread for each actor. */
    OWN {
        @Override
        public CreationStrategy create() {
            return actor -> {
                var thread = cleanedUp(Executors.newSingleThreadExecutor(DAEMONS));
                return thread::execute;
            };
        }
    };

    private static final ThreadFactory DAEMONS = Thread.ofPlatform().daemon().name("test-executor").factory();
    private static final Deque<Runnable> CLEANUP = new ConcurrentLinkedDeque<>();

    public abstract CreationStrategy create();

    /** Whether an actor runs on another thread than its sender. */
    public boolean isAsync() {
        return this != CALLER;
    }

    private static ExecutorService cleanedUp(ExecutorService executor) {
        CLEANUP.push(executor::shutdownNow);
        return executor;
    }

    /** Called after each test. */
    static void cleanUp() {
        for (var step = CLEANUP.poll(); step != null; step = CLEANUP.poll()) {
            step.run();
        }
    }
}
