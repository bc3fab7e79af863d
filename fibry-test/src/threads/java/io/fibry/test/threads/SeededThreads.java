package io.fibry.test.threads;

import java.lang.reflect.Constructor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Carries virtual threads one at a time. Where one of them blocks, yields or ends, a random number decides which one goes on next.
 *
 * <p>The threads are those of the JDK; only their scheduler is replaced, by a constructor that the JDK has for its own tests. A
 * virtual thread that such a thread starts has the same scheduler. The JDK gives a scheduler the continuation of a thread, as a
 * task, each time the thread can go on; it is one object for each thread, by which the thread is known here.
 *
 * <p>One thread starts the first threads, calls {@link #run}, and carries: the one that creates this object, or that {@link
 * SeededEngine#rule} was called by. A task that another thread hands over comes from outside: the JDK wakes threads that sleep, and
 * those that wait for a monitor. When that happens depends on real time, so such a task has to wait until nothing else can go on.
 *
 * <p>What a thread does between two points where it blocks or yields is never interrupted, and one carrier shows no effects of weak
 * memory.
 */
public final class SeededThreads {
    private static final int MAX_STEPS = 3_000_000;
    /** How many steps there may be while the clock stands. */
    private static final int MAX_STEPS_AT_ONCE = 100_000;
    /** How many more steps threads have that are to end. */
    private static final int LAST_STEPS = 10_000;
    private static final int MOST_INTERRUPTS = 10;
    private static final long OUTSIDE_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(20);
    /** How long in real time a thread that waits with a limit of the JDK may take to go on, before the clock moves. */
    private static final long LIMITED_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** How long a thread outside may take to let one of ours go on, when nothing else can. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** Chances in percent, one of which a schedule has, that a thread yields at a mark. */
    private static final int[] YIELDS = {10, 30, 60, 90};
    /** How often in a schedule by priorities the thread that goes on gets another one: one in so many. */
    private static final int PRIORITY_LIFE = 4;
    /** How many frames of a stack are fetched at a time. */
    private static final int MOST_FRAMES = 32;
    private static final @Nullable Constructor<?> BUILDER = builder();
    /** Knows classes and no methods, where the JDK allows it: the walk is most of what a mark costs. */
    private static final StackWalker STACK = StackWalker.getInstance(Arrays.stream(StackWalker.Option.values())
            .filter(option -> option == StackWalker.Option.RETAIN_CLASS_REFERENCE
                    || option.name().equals("DROP_METHOD_INFO"))
            .collect(Collectors.toSet()), MOST_FRAMES);

    private final SplittableRandom random;
    private final boolean byPriority;
    private final int yieldPercent;
    private final Consumer<? super Thread> trace;
    private Thread carrying;
    private final Executor carrier = this::submit;

    /** Guards the threads that are known, alive and ready, and whether the schedule is over. */
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition cameFromOutside = lock.newCondition();
    /** Guarded by the lock, as all that follows until the next comment. */
    private final IdentityHashMap<Runnable, Fiber> known = new IdentityHashMap<>();
    private final Set<Fiber> alive = new LinkedHashSet<>();
    private final List<Fiber> ready = new ArrayList<>();
    private final Deque<Fiber> fromOutside = new ArrayDeque<>();
    private boolean isOver;

    /** Used by one thread at a time, as all that follows: the schedule's own, or the one that it carries. */
    private final Deque<Semaphore> quiet = new ArrayDeque<>();
    private @Nullable Fiber running;
    private int steps;
    private int mostSteps;
    private int stepsAtOnce;
    private boolean wasInterrupted;

    /** Threads under the schedule with this seed. */
    public SeededThreads(long seed) {
        this(seed, MAX_STEPS, thread -> {
        });
    }

    /** Threads that may take so many steps in all. Before each step, {@code trace} is told which one goes on. */
    public SeededThreads(long seed, int mostSteps, Consumer<? super Thread> trace) {
        this.mostSteps = mostSteps;
        this.trace = trace;
        carrying = Thread.currentThread();
        random = new SplittableRandom(seed);
        byPriority = random.nextBoolean();
        yieldPercent = YIELDS[random.nextInt(YIELDS.length)];
    }

    /** Lets the calling thread carry, which also starts the first threads. */
    void carryHere() {
        carrying = Thread.currentThread();
    }

    private static @Nullable Constructor<?> builder() {
        try {
            var constructor = Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
                    .getDeclaredConstructor(Executor.class);
            constructor.setAccessible(true);
            var seen = new Runnable[1];
            var thread = ((Thread.Builder) constructor.newInstance((Executor) task -> seen[0] = task))
                    .start(() -> {
                    });
            return threadOf(seen[0]) == thread ? constructor : null;
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }

    /** Whether this JVM lets us in; it needs {@code --add-opens java.base/java.lang=ALL-UNNAMED}. */
    public static boolean isPossible() {
        return BUILDER != null;
    }

    /** One thread. */
    private static final class Fiber {
        final Thread thread;
        final Runnable continuation;
        int priority;

        Fiber(Thread thread, Runnable continuation, int priority) {
            this.thread = thread;
            this.continuation = continuation;
            this.priority = priority;
        }
    }

    /** Returns the thread whose continuation this is: the object that the lambda has captured. */
    private static @Nullable Thread threadOf(@Nullable Runnable continuation)
            throws ReflectiveOperationException {
        if (continuation == null) {
            return null;
        }
        for (var field : continuation.getClass().getDeclaredFields()) {
            if (Thread.class.isAssignableFrom(field.getType())) {
                field.setAccessible(true);
                return (Thread) field.get(continuation);
            }
        }
        return null;
    }

    private void submit(Runnable continuation) {
        lock.lock();
        try {
            if (!isOver) {
                var fiber = known.get(continuation);
                if (fiber == null) {
                    fiber = new Fiber(Objects.requireNonNull(threadOf(continuation)), continuation,
                            random.nextInt());
                    known.put(continuation, fiber);
                    alive.add(fiber);
                }
                if (isOurs(Thread.currentThread())) {
                    ready.add(fiber);
                } else {
                    fromOutside.add(fiber);
                    cameFromOutside.signal();
                }
                return;
            }
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("a continuation without its thread", e);
        } finally {
            lock.unlock();
        }
        // A thread that was left over. It may be one that the program waits for elsewhere.
        Thread.ofPlatform().daemon().name("after-schedule").start(continuation);
    }

    private boolean isOurs(Thread thread) {
        var mine = running;
        return thread == carrying || (mine != null && thread == mine.thread);
    }

    /** Starts a thread. Called before {@link #run}, or by threads of this schedule. */
    public Thread start(String name, Runnable body) {
        var thread = unstarted(name, body);
        thread.start();
        return thread;
    }

    /** Makes a thread, which belongs to the schedule when it is started. */
    public Thread unstarted(String name, Runnable body) {
        try {
            var builder = (Thread.Builder) Objects.requireNonNull(BUILDER).newInstance(carrier);
            return builder.name(name).inheritInheritableThreadLocals(false).unstarted(body);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("checked by isPossible", e);
        }
    }

    /** Returns the numbers that decide the schedule. A program that takes some changes what is decided after them. */
    public SplittableRandom random() {
        return random;
    }

    /** Lets others go first, perhaps. */
    @SuppressWarnings("ThreadPriorityCheck") // the scheduler is this class
    public void pause() {
        if (areRunningHere() && random.nextInt(100) < yieldPercent && mayYield()) {
            Thread.yield();
        }
    }

    /** Not inside an atomic step of a map: that holds a monitor, and a thread that waits for one waits outside of the schedule. */
    private static boolean mayYield() {
        return STACK.walk(frames -> {
            for (var each = frames.iterator(); each.hasNext();) {
                if (each.next().getDeclaringClass() == ConcurrentHashMap.class) {
                    return false;
                }
            }
            return true;
        });
    }

    /** Tells whether the calling thread is the one that goes on. */
    public boolean areRunningHere() {
        var mine = running;
        return mine != null && Thread.currentThread() == mine.thread;
    }

    /** Waits until no other thread can go on. Called by a thread of the schedule. */
    public void awaitQuiet() throws InterruptedException {
        if (!areRunningHere()) {
            throw new IllegalStateException("thread '" + Thread.currentThread().getName()
                    + "' is no thread of the schedule: start it by TestSchedule.start");
        }
        var others = new Semaphore(0);
        quiet.push(others);
        try {
            others.acquire();
        } finally {
            quiet.remove(others);
        }
    }

    /** Tells the schedule that the clock moves. */
    public void countMove() {
        stepsAtOnce = 0;
    }

    /**
     * Runs all threads until none is left. If none can go on, {@code clock} starts one that can, or returns false.
     *
     * @return why nothing goes on; empty if all threads have ended
     */
    public Optional<String> run(BooleanSupplier clock) {
        try {
            return runAll(clock);
        } catch (InterruptedException e) {
            wasInterrupted = true;
            return Optional.of("the thread that runs the schedule was interrupted");
        }
    }

    private Optional<String> runAll(BooleanSupplier clock) throws InterruptedException {
        while (true) {
            if (steps >= mostSteps) {
                return Optional.of("no end after " + steps + " steps");
            }
            if (stepsAtOnce >= MAX_STEPS_AT_ONCE) {
                return Optional.of("no rest after " + stepsAtOnce + " steps, in which the clock stood");
            }
            var next = next(hasLimitedWait() ? LIMITED_NANOS : 0);
            if (next == null && !isEmpty() && !wakeOneThatAwaitsQuiet() && !clock.getAsBoolean()) {
                next = next(GRACE_NANOS); // a thread outside may be about to
                if (next == null && !hasLimitedWait()) {
                    return Optional.of("nothing can go on");
                }
                next = next != null ? next : next(OUTSIDE_LIMIT_NANOS);
                if (next == null) {
                    return Optional.of(
                            "nothing has gone on for " + TimeUnit.NANOSECONDS.toSeconds(OUTSIDE_LIMIT_NANOS)
                                    + " s of real time, in which threads wait with limits of the JDK");
                }
            }
            if (next != null) {
                step(next);
            } else if (isEmpty()) {
                return Optional.empty();
            }
        }
    }

    private boolean isEmpty() {
        lock.lock();
        try {
            return alive.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    private boolean wakeOneThatAwaitsQuiet() {
        var first = quiet.poll();
        if (first == null) {
            return false;
        }
        first.release();
        return true;
    }

    private void step(Fiber fiber) {
        steps++;
        stepsAtOnce++;
        trace.accept(fiber.thread);
        running = fiber;
        try {
            fiber.continuation.run();
        } finally {
            running = null;
        }
        if (fiber.thread.getState() == Thread.State.TERMINATED) {
            lock.lock();
            try {
                alive.remove(fiber);
                known.remove(fiber.continuation);
            } finally {
                lock.unlock();
            }
        }
    }

    /** Returns the thread that goes on; null if none can, unless one outside lets it within so much real time. */
    private @Nullable Fiber next(long nanos) throws InterruptedException {
        lock.lockInterruptibly(); // a step would take the flag away
        try {
            for (var left = nanos; ready.isEmpty(); left = cameFromOutside.awaitNanos(left)) {
                if (!fromOutside.isEmpty()) {
                    return fromOutside.remove();
                }
                if (left <= 0) {
                    return null;
                }
            }
            return ready.remove(byPriority ? highest() : random.nextInt(ready.size()));
        } finally {
            lock.unlock();
        }
    }

    private int highest() {
        var best = 0;
        for (int i = 1; i < ready.size(); i++) {
            if (ready.get(i).priority > ready.get(best).priority) {
                best = i;
            }
        }
        if (random.nextInt(PRIORITY_LIFE) == 0) {
            ready.get(best).priority = random.nextInt();
            ready.get(random.nextInt(ready.size())).priority = random.nextInt(); // the last one must not stay the last one
        }
        return best;
    }

    private boolean hasLimitedWait() {
        lock.lock();
        try {
            return ready.isEmpty()
                    && alive.stream().anyMatch(fiber -> fiber.thread.getState() != Thread.State.WAITING);
        } finally {
            lock.unlock();
        }
    }

    /** Interrupts the threads that are left until they have ended, or do not end by that. */
    public void endThreads(BooleanSupplier clock) {
        for (int i = 0; i < MOST_INTERRUPTS && !isEmpty(); i++) {
            mostSteps = steps + LAST_STEPS;
            stepsAtOnce = 0;
            quiet.clear();
            threads().forEach(Thread::interrupt);
            run(clock);
        }
    }

    private List<Thread> threads() {
        lock.lock();
        try {
            return alive.stream().map(fiber -> fiber.thread).toList();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Threads that go on from now on are no part of the schedule. The thread that carried is interrupted again if it was so
     * between two steps; the JDK loses an interrupt of it during a step.
     */
    public void end() {
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
        lock.lock();
        try {
            isOver = true;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of steps, and the threads that are left with the top of their stacks. */
    public String describe(int mostFrames, Predicate<StackTraceElement> isShown) {
        lock.lock();
        try {
            return "after " + steps + " steps these threads are left:"
                    + alive.stream().map(fiber -> describe(fiber.thread, mostFrames, isShown))
                            .collect(Collectors.joining());
        } finally {
            lock.unlock();
        }
    }

    /** A thread none of whose frames is to be shown has all of them shown. */
    private static String describe(Thread thread, int mostFrames, Predicate<StackTraceElement> isShown) {
        var stack = thread.getStackTrace();
        var frames = Arrays.stream(stack).filter(isShown).toList();
        return "\n  '" + thread.getName() + "' " + thread.getState()
                + (frames.isEmpty() ? Arrays.stream(stack) : frames.stream()).limit(mostFrames)
                        .map(frame -> "\n      at " + frame)
                        .collect(Collectors.joining());
    }
}
