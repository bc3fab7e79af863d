package io.fibry.bench;

import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.pool.PoolOptions;
import io.fibry.pool.WorkerPool;
import io.fibry.time.Schedule;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import kotlinx.coroutines.Dispatchers;

/** Ways to launch many tasks, of which a limited number run at once. The tasks run in a JVM of their own. */
enum Launching {
    /** A timer for each task. The task that it starts runs when there is a place for it. */
    SCHEDULER {
        @Override
        void launch(int count, int millis, int atOnce, Task task) throws InterruptedException {
            var limited = CreationStrategy.limited(CreationStrategy.fibers(), atOnce);
            try (var scope = ActorSystem.configure("launches").strategy(limited).open()) {
                var once = Schedule.once(Duration.ofMillis(millis));
                for (int i = 0; i < count; i++) {
                    scope.schedule(once, () -> task.run(0));
                }
                task.await();
            }
        }
    },
    /** A worker for each task for which there is a place. */
    WORKERS {
        @Override
        void launch(int count, int millis, int atOnce, Task task) throws InterruptedException {
            try (var scope = ActorSystem.open("launches");
                    var workers =
                            WorkerPool.open(scope, "workers", PoolOptions.fixed(atOnce, count), task::run)) {
                for (int i = 0; i < count; i++) {
                    if (!workers.sendMessage(millis)) {
                        throw new AssertionError("launch " + i + " was refused");
                    }
                }
                task.await();
            }
        }
    },
    /** A virtual thread for each task, which waits for a permit. */
    SEMAPHORE {
        @Override
        void launch(int count, int millis, int atOnce, Task task) {
            var places = new Semaphore(atOnce);
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int i = 0; i < count; i++) {
                    threads.execute(() -> {
                        places.acquireUninterruptibly();
                        task.run(millis);
                        places.release();
                    });
                }
            }
        }
    },
    /** A coroutine for each task, suspended, on a dispatcher made of our strategy. */
    KOTLIN_FIBRY {
        @Override
        void launch(int count, int millis, int atOnce, Task task) {
            Coroutines.delayOn(CreationStrategy.fibers(), atOnce, count, millis, () -> task.run(0));
        }
    },
    /** A coroutine for each task, suspended. */
    KOTLIN_IO {
        @Override
        void launch(int count, int millis, int atOnce, Task task) {
            Coroutines.delayOnIo(atOnce, count, millis, () -> task.run(0));
        }
    },
    /** A coroutine for each task, suspended, which then runs on as many threads as there are processors. */
    KOTLIN_DEFAULT {
        @Override
        void launch(int count, int millis, int atOnce, Task task) {
            Coroutines.delay(Dispatchers.getDefault(), count, millis, () -> task.run(0));
        }
    },
    /** A coroutine for each task, suspended, which then runs on the thread that wakes it. */
    KOTLIN_UNCONFINED {
        @Override
        void launch(int count, int millis, int atOnce, Task task) {
            Coroutines.delay(Dispatchers.getUnconfined(), count, millis, () -> task.run(0));
        }
    },
    /** A coroutine for each task, which blocks, on a dispatcher made of our strategy. */
    KOTLIN_BLOCKING {
        @Override
        void launch(int count, int millis, int atOnce, Task task) {
            Coroutines.runOn(CreationStrategy.fibers(), atOnce, count, () -> task.run(millis));
        }
    };

    private static final int PATIENCE_SECONDS = 600;

    /** The task that is launched. */
    record Task(CountDownLatch left, AtomicInteger running, AtomicInteger most) {
        Task(int count) {
            this(new CountDownLatch(count), new AtomicInteger(), new AtomicInteger());
        }

        void run(int millis) {
            int now = running.incrementAndGet();
            if (now > most.get()) {
                most.accumulateAndGet(now, Math::max);
            }
            try {
                if (millis > 0) {
                    Thread.sleep(millis);
                }
            } catch (InterruptedException nobodyDoesThat) {
                throw new IllegalStateException(nobodyDoesThat);
            }
            running.decrementAndGet();
            left.countDown();
        }

        /** Waits for the tasks up to a limit. The count shows whether tasks are missing. */
        void await() throws InterruptedException {
            left.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** Launches all, and waits until they have ended. */
    abstract void launch(int count, int millis, int atOnce, Task task) throws InterruptedException;

    /** Runs in the child. The arguments are the way, the number of tasks, their duration, and how many run at once. */
    public static void main(String[] args) throws InterruptedException {
        int count = Integer.parseInt(args[1]);
        var task = new Task(count);
        var start = System.nanoTime();
        valueOf(args[0]).launch(count, Integer.parseInt(args[2]), Integer.parseInt(args[3]), task);
        ChildJvm.result("millis", (System.nanoTime() - start) / 1e6);
        ChildJvm.result("ended", count - task.left.getCount());
        ChildJvm.result("most", task.most.get());
        Runtime.getRuntime().halt(0);
    }
}
