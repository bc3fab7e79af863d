package io.fibry.internal.flight;

import io.fibry.event.ActorEvent;
import io.fibry.event.Failed;
import io.fibry.event.Restarted;
import io.fibry.event.Stuck;
import io.fibry.event.Undelivered;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Feature;
import io.fibry.internal.clock.SystemTime;
import io.fibry.internal.log.LastResort;
import io.fibry.internal.log.Logs;
import io.fibry.internal.report.ClassName;
import io.fibry.internal.report.ContentClass;
import io.fibry.internal.run.Job;
import io.fibry.internal.run.Strategies;
import io.fibry.internal.timer.ActorTimers;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import org.jspecify.annotations.Nullable;

/**
 * Records for Java Flight Recorder.
 *
 * <p>The first class of an event that is loaded costs the JVM about 100 ms, also if there is no recording. So these
 * classes are loaded when Flight Recorder is initialized, which is before its first recording begins. Until then all that is
 * done for an event is to read one field. This takes place on a thread of its own: that of a user may have little stack left.
 */
final class JfrFlight implements Flight, FlightRecorderListener {
    private final EventRate undelivered = new EventRate();
    private final EventRate failed = new EventRate();
    private final EventRate cycles = new EventRate();
    private final EventRate timeouts = new EventRate();
    private final EventRate lateTimers = new EventRate();
    private final EventRate rescues = new EventRate();
    /** Opens when it is known whether Flight Recorder was initialized before the first actor. */
    private final CountDownLatch begun = new CountDownLatch(1);
    /** Whether a thread has begun to load the classes of the events. */
    private final AtomicBoolean isLoading = new AtomicBoolean();
    /** Whether the classes of the events are loaded. Set by the thread that loads them. */
    private volatile boolean isReady;

    // Accessed by the thread of periodic events only.
    private long helpersSeen;
    private long rescuedSeen;

    private JfrFlight() {
    }

    /**
     * Begins. If the JVM was started with a recording, this waits until the classes of the events are loaded, so that
     * the first actors are recorded; else it does not wait for more than a look.
     */
    static JfrFlight begin() {
        var flight = new JfrFlight();
        Thread.ofPlatform().daemon().inheritInheritableThreadLocals(false).name("fibry-flight")
                .start(flight::prepare);
        var interrupted = false;
        while (true) {
            try {
                flight.begun.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return flight;
    }

    private void prepare() {
        try {
            if (FlightRecorder.isInitialized()) {
                loadEvents();
            }
            begun.countDown();
            if (!isReady) {
                FlightRecorder.addListener(this);
                if (FlightRecorder.isInitialized()) {
                    loadEvents();
                }
            }
        } catch (Throwable failure) {
            Logs.of("io.fibry").warn(
                    "Java Flight Recorder cannot be used; recordings will have no events of Fibry",
                    failure);
        } finally {
            begun.countDown();
        }
    }

    /** Called before the first recording of the JVM is made. */
    @Override
    public void recorderInitialized(FlightRecorder recorder) {
        try {
            loadEvents();
        } catch (Throwable failure) {
            LastResort.report(failure);
        }
    }

    /** Loads the classes of the events, and registers them: tools list them before there is an event. */
    private void loadEvents() {
        if (!isLoading.compareAndSet(false, true)) {
            return;
        }
        for (var event : List.<Class<? extends Event>>of(MessageHandledEvent.class, ActorStuckEvent.class,
                MessageUndeliveredEvent.class, ActorFailedEvent.class, ActorRestartedEvent.class,
                AskCycleEvent.class, AskTimedOutEvent.class, TimerLateEvent.class, JobRescuedEvent.class,
                LaneStatisticsEvent.class)) {
            FlightRecorder.register(event);
        }
        FlightRecorder.addPeriodicEvent(LaneStatisticsEvent.class, this::recordLanes);
        isReady = true;
        SystemTime.INSTANCE.tell(this::timerLate);
        Strategies.tell(this::jobRescued);
    }

    // ---- Messages. ----

    @Override
    public @Nullable Feature observer(Cell cell) {
        return isReady && new MessageHandledEvent().isEnabled() ? HandlingObserver.of(cell) : null;
    }

    // ---- Reports. ----

    @Override
    public boolean mayRecord() {
        return isReady;
    }

    @Override
    public void event(ActorEvent event, String scope, @Nullable Class<?> handler) {
        if (!isReady) {
            return;
        }
        // No switch on the class, which would be linked when it first runs: see StackReserve.
        if (event instanceof Undelivered e) {
            undelivered(e, scope, handler);
        } else if (event instanceof Failed e) {
            failed(e, scope, handler);
        } else if (event instanceof Restarted e) {
            restarted(e, scope, handler);
        } else if (event instanceof Stuck e) {
            stuck(e, scope, handler);
        }
    }

    private void undelivered(Undelivered lost, String scope, @Nullable Class<?> handler) {
        var event = new MessageUndeliveredEvent();
        if (event.shouldCommit() && undelivered.admit()) {
            event.about(lost.actor(), scope, handler);
            event.message = ContentClass.nameOf(lost.message());
            event.cause = lost.cause().name();
            event.omitted = undelivered.takeOmitted();
            event.commit();
        }
    }

    private void failed(Failed failure, String scope, @Nullable Class<?> handler) {
        var event = new ActorFailedEvent();
        if (event.shouldCommit() && failed.admit()) {
            event.about(failure.actor(), scope, handler);
            event.part = failure.part().name();
            if (failure.message().isPresent()) {
                event.message = failure.message().get().getName();
            }
            event.exception = failure.cause().getClass().getName();
            event.text = textOf(failure.cause());
            event.omitted = failed.takeOmitted();
            event.commit();
        }
    }

    private static @Nullable String textOf(Throwable thrown) {
        try {
            return thrown.getMessage();
        } catch (Throwable unreadable) {
            return null; // the class is recorded in any case
        }
    }

    private static void restarted(Restarted restart, String scope, @Nullable Class<?> handler) {
        var event = new ActorRestartedEvent();
        if (event.shouldCommit()) {
            event.about(restart.actor(), scope, handler);
            event.restarts = restart.restarts();
            event.exception = restart.cause().getClass().getName();
            event.commit();
        }
    }

    private static void stuck(Stuck found, String scope, @Nullable Class<?> handler) {
        var event = new ActorStuckEvent();
        if (event.shouldCommit()) {
            event.about(found.actor(), scope, handler);
            if (found.message().isPresent()) {
                event.message = found.message().get().getName();
            }
            event.runningFor = found.runningFor().toNanos();
            var stack = new StringBuilder();
            for (var frame : found.stack()) {
                stack.append(stack.isEmpty() ? "at " : "\nat ").append(frame);
            }
            event.stack = stack.toString();
            event.commit();
        }
    }

    // ---- Asks. ----

    @Override
    public void askCycle(String actor, String scope, Class<?> handler, String cycle) {
        if (!isReady) {
            return;
        }
        var event = new AskCycleEvent();
        if (event.shouldCommit() && cycles.admit()) {
            event.about(actor, scope, handler);
            event.cycle = cycle;
            event.omitted = cycles.takeOmitted();
            event.commit();
        }
    }

    @Override
    public void askTimedOut(String actor, String scope, @Nullable Class<?> handler, Class<?> message,
            long limitNanos) {
        if (!isReady) {
            return;
        }
        var event = new AskTimedOutEvent();
        if (event.shouldCommit() && timeouts.admit()) {
            event.about(actor, scope, handler);
            event.message = message.getName();
            event.limit = limitNanos;
            event.omitted = timeouts.takeOmitted();
            event.commit();
        }
    }

    // ---- Timers and lanes. Called by the timer thread, or by the thread of periodic events. ----

    private void timerLate(Runnable task, long nanos) {
        var event = new TimerLateEvent();
        if (event.shouldCommit() && lateTimers.admit()) {
            if (task instanceof ActorTimers.Timer timer) {
                event.about(timer.actor());
            }
            event.task = ClassName.of(task.getClass());
            event.lateBy = nanos;
            event.omitted = lateTimers.takeOmitted();
            event.commit();
        }
    }

    private void jobRescued(Job job, @Nullable Job before) {
        try {
            var event = new JobRescuedEvent();
            if (event.shouldCommit() && rescues.admit()) {
                if (job.owner() instanceof Cell cell) {
                    event.about(cell);
                }
                if (before != null) {
                    event.busyActor = before.ownerName();
                    event.busyHandler = ClassName.of(before.handlerClass());
                }
                event.omitted = rescues.takeOmitted();
                event.commit();
            }
        } catch (Throwable failure) {
            LastResort.report(failure);
        }
    }

    private void recordLanes() {
        var helpers = Strategies.helpers();
        var rescued = Strategies.rescued();
        var event = new LaneStatisticsEvent();
        event.helpers = helpers - helpersSeen & 0xFFFF_FFFFL;
        event.rescued = rescued - rescuedSeen;
        helpersSeen = helpers;
        rescuedSeen = rescued;
        event.commit();
    }
}
