package io.fibry.testing;

import io.fibry.CreationStrategy;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;

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
    EXECUTOR {
        @Override
        public CreationStrategy create() {
            return CreationStrategy.of(cleanedUp(Executors.newCachedThreadPool(DAEMONS)));
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
