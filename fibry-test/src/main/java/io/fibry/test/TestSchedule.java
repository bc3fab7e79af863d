package io.fibry.test;

import io.fibry.ActorScope;
import io.fibry.ScopeBuilder;
import io.fibry.function.Body;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Decides which thread of a program goes on, and what the time is. A schedule has a seed: the same program under the
 * schedule of the same seed takes the same steps. Many seeds show what a program does in many orders of its steps,
 * and one of them replays the order in which it failed.
 *
 * <pre>{@code
 * TestSchedule.explore(1_000, schedule -> {
 *     var account = schedule.scope().anonymous().state(Balance::new).newActorWithReturn(Balance::handle);
 *     var first = schedule.start("first", () -> account.apply(new Deposit(1)));
 *     var second = schedule.start("second", () -> account.apply(new Deposit(1)));
 *     first.join();
 *     second.join();
 *     assertEquals(2, account.apply(new Ask()));
 * });
 * }</pre>
 *
 * <p><b>What a schedule controls.</b> One thread runs at a time. Where it blocks or ends, and at marks inside the engine, the
 * schedule chooses the next one. These threads belong to it:
 *
 * <ul>
 *   <li>the thread that runs the program, and those of {@link #start};
 *   <li>actors that are made in the schedule, whatever their strategy, except one of {@code CreationStrategy.of(executor)};
 *   <li>virtual threads that these threads start.
 * </ul>
 *
 * <p>Scopes that are opened in the schedule have its clock, unless they are given another one. The clock stands until nothing can
 * go on; then it moves to the next timer. So a program that waits for an hour takes no time. If no timer is left and threads still
 * wait, nothing can ever go on: the schedule fails at once, and the message shows the threads and a dump of all actors.
 *
 * <p><b>What it does not control.</b> Between two marks a thread is not interrupted: where your own code reads and
 * writes what others change, call {@link #pause}, or use {@link #paused}. Platform threads and executors of the
 * program run beside the schedule, and the root scope has the system's clock. {@code Thread.sleep} and waits of the
 * JDK with a limit take real time; a thread goes on after them when nothing else can. {@code System.nanoTime},
 * numbers from other generators and hash codes of objects are not replayed.
 *
 * <p><b>What the JVM has to allow.</b> The schedule carries virtual threads by a constructor of the JDK that is not
 * public. Start the JVM of the tests with {@code --add-opens java.base/java.lang=ALL-UNNAMED} and with assertions
 * ({@code -ea}, which build tools set); without JUnit's launcher also with {@code -Dio.fibry.interleave=true}. If one
 * of them is missing, the program runs on real threads that pause at random, {@link #isControlled} is false, and a
 * message says what is missing. Then no seed replays a failure. Only scopes of {@link #scope} and {@link #configure}
 * have the clock, which waits for their actors and for threads of {@link #start}, but not for others that the program
 * starts: a program that relies on those may fail without a mistake.
 *
 * <p>One schedule runs at a time in a JVM; another one waits. A schedule takes over the whole library: scopes that others
 * open meanwhile get its clock, and their actors its threads, and hang when it has ended. So if JUnit runs tests in parallel,
 * classes whose tests call {@link #explore} or {@link #replay} need {@code @Isolated}; with {@link ActorTest} they have it. The
 * methods of a schedule are called by its threads, except where they say otherwise.
 */
public sealed interface TestSchedule permits PlayedSchedule {
    /**
     * Runs a program under several schedules, with the seeds from 0. If the system property {@code fibry.seed} is set, only the
     * schedule with that seed is run.
     *
     * @param seeds how many, at least 1
     * @param body the program
     * @throws ScheduleFailedError if the program fails under a schedule; no further one is run
     */
    static void explore(int seeds, ScheduledBody body) {
        for (var seed : Seeds.chosen(seeds)) {
            replay(seed, body);
        }
    }

    /**
     * Runs a program under one schedule.
     *
     * @param seed the number of the schedule
     * @param body the program
     * @throws ScheduleFailedError if the program fails
     */
    static void replay(long seed, ScheduledBody body) {
        var schedule = Schedules.of(seed);
        schedule.play(() -> body.run(schedule), "TestSchedule.replay(" + seed + ", ...)");
    }

    /**
     * Returns the number of the schedule.
     *
     * @return the seed
     */
    long seed();

    /**
     * Tells whether the schedule is decided by its seed. Any thread may call this method.
     *
     * @return false if this JVM does not allow it
     */
    boolean isControlled();

    /**
     * Returns a scope for the actors of the program, with the clock of the schedule and numbers from its seed. It is
     * opened by the first call, and closed when the program has ended.
     *
     * @return the scope
     */
    ActorScope scope();

    /**
     * Configures a scope with the clock of the schedule and numbers from its seed. The program closes it.
     *
     * @param name the name of the scope
     * @return its builder
     */
    ScopeBuilder configure(String name);

    /**
     * Returns the clock of the schedule. A program advances it by {@link #advance}.
     *
     * @return the clock
     */
    ManualTime time();

    /**
     * Returns numbers that depend on the seed alone, for the choices of the program.
     *
     * @return a generator
     */
    RandomGenerator random();

    /**
     * Starts a thread. If its code throws, the schedule fails.
     *
     * @param name the name of the thread
     * @param body its code
     * @return the thread
     */
    Thread start(String name, Body body);

    /** Lets other threads go first, perhaps. A thread that is no part of the schedule is not held up. */
    void pause();

    /**
     * Returns a view of an object, each of whose methods pauses before and after the call. So a schedule can let
     * another thread in between two calls, as real threads do.
     *
     * @param type an interface of the object
     * @param object the object
     * @param <T> the interface
     * @return the view, which any thread may use as it may use the object
     * @throws IllegalArgumentException if the type is no interface
     */
    <T> T paused(Class<T> type, T object);

    /**
     * Moves the clock. All timers that become due fire in order, each at its time, and after each of them everything
     * that can go on does. When the method returns, nothing else can go on.
     *
     * @param duration how far, not negative
     * @throws InterruptedException if the thread is interrupted while others go on
     */
    void advance(Duration duration) throws InterruptedException;

    /**
     * Waits until nothing else can go on, and does not move the clock.
     *
     * @throws InterruptedException if the thread is interrupted meanwhile
     */
    void awaitQuiet() throws InterruptedException;
}
