package io.fibry.internal.report;

import io.fibry.event.ActorEvent;
import io.fibry.event.ActorListener;
import io.fibry.event.Undelivered;
import io.fibry.internal.log.LastResort;
import io.fibry.message.Envelope;
import io.fibry.time.Cancellable;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Delivers the events of a scope to its listeners and to the listeners of the scopes around it, or else to the log. A
 * recorder gets all of them.
 */
public final class Events {
    /** Set while a listener runs on this thread. Events that a listener causes are not delivered to listeners. */
    private static final ThreadLocal<Boolean> LISTENING = new ThreadLocal<>();

    private final @Nullable Events around;
    private final EventLog log;
    private final String scope;
    private final EventRecorder recorder;
    /** An event goes to the listeners of its moment. */
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();

    /** One subscription. A listener that is added twice has two. */
    private static final class Subscription {
        final ActorListener listener;
        final boolean takesEvents;

        Subscription(ActorListener listener) {
            this.listener = listener;
            takesEvents = listener.takesEvents();
        }
    }

    private record Listening(Events events, Subscription mine) implements Cancellable {
        @Override
        public boolean cancel() {
            return events.subscriptions.remove(mine);
        }
    }

    public Events(@Nullable Events around, EventLog log, String scope, EventRecorder recorder) {
        this.around = around;
        this.log = log;
        this.scope = scope;
        this.recorder = recorder;
    }

    public Cancellable listen(ActorListener listener) {
        var mine = new Subscription(listener);
        subscriptions.add(mine);
        return new Listening(this, mine);
    }

    /** Reports an event that is logged if no listener takes it. Throws nothing, whatever listeners and loggers do. */
    public void report(ActorEvent event) {
        report(event, null);
    }

    /** As the other method, for an event of an actor with a handler of this class. */
    public void report(ActorEvent event, @Nullable Class<?> handler) {
        if (event instanceof Undelivered lost && !isReported(lost)) {
            return;
        }
        record(event, handler);
        try {
            if (LISTENING.get() != null || !notifyListeners(event)) {
                log.log(event);
            }
        } catch (Throwable failure) {
            LastResort.report(failure);
        }
    }

    /**
     * Counts the loss of a message as an event that is left out, and returns true, if there is no one but the log to tell and
     * the log has enough lines. Otherwise the caller reports the loss. This saves making an event for each message of a flood.
     * Throws nothing.
     */
    public boolean leavesOut(Object message) {
        try {
            return !(message instanceof Envelope) && !recorder.mayRecord() && !hasListeners()
                    && log.leavesOut();
        } catch (Throwable failure) {
            return false; // the report tells
        }
    }

    /** An envelope that fails to tell is reported: so the report of a loss never depends on the message's own code. */
    private static boolean isReported(Undelivered lost) {
        try {
            return !(lost.message() instanceof Envelope envelope) || envelope.isLossReported(lost.cause());
        } catch (Throwable doesNotTell) {
            return true;
        }
    }

    /** Reports an event to listeners only. Throws nothing, whatever they do. */
    public void lifecycle(ActorEvent event) {
        lifecycle(event, null);
    }

    /** As the other method, for an event of an actor with a handler of this class. */
    public void lifecycle(ActorEvent event, @Nullable Class<?> handler) {
        record(event, handler);
        try {
            if (LISTENING.get() == null) {
                notifyListeners(event);
            }
        } catch (Throwable failure) {
            LastResort.report(failure);
        }
    }

    private void record(ActorEvent event, @Nullable Class<?> handler) {
        try {
            recorder.event(event, scope, handler);
        } catch (Throwable failure) {
            LastResort.report(failure);
        }
    }

    /** Records that a wait of an actor was refused, since it would have closed a cycle. Throws nothing. */
    public void askCycle(String actor, Class<?> handler, String cycle) {
        try {
            recorder.askCycle(actor, scope, handler, cycle);
        } catch (Throwable failure) {
            LastResort.report(failure);
        }
    }

    /** Returns whether anything may be recorded: else the caller of a method that records can leave that out. */
    public boolean mayRecord() {
        return recorder.mayRecord();
    }

    /** Records that an ask got no answer in time. Throws nothing. */
    public void askTimedOut(String actor, @Nullable Class<?> handler, Class<?> message, long limitNanos) {
        try {
            recorder.askTimedOut(actor, scope, handler, message, limitNanos);
        } catch (Throwable failure) {
            LastResort.report(failure);
        }
    }

    /** Tells whether a listener runs on the calling thread. */
    public static boolean isListening() {
        return LISTENING.get() != null;
    }

    public boolean hasListeners() {
        for (var events = this; events != null; events = events.around) {
            if (!events.subscriptions.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a listener has taken the event. */
    private boolean notifyListeners(ActorEvent event) {
        var taken = false;
        for (var events = this; events != null; events = events.around) {
            for (var subscription : events.subscriptions) {
                taken |= subscription.takesEvents;
                notifyListener(subscription.listener, event);
            }
        }
        return taken;
    }

    private void notifyListener(ActorListener listener, ActorEvent event) {
        LISTENING.set(true);
        try {
            listener.on(event);
        } catch (Throwable failure) {
            log.listenerFailed(event, failure);
        } finally {
            LISTENING.remove();
        }
    }

    /** Logs that the engine itself threw while it handled a message. Nothing more can be done about it. */
    public void engineFailure(String actor, Throwable failure) {
        try {
            log.engineFailed(actor, failure);
        } catch (Throwable suppressed) {
            LastResort.report(failure, suppressed);
        }
    }

    /** Logs that a carrier of context threw. The failure belongs to no actor, and is logged once for each carrier. */
    public static void carrierFailed(Class<?> carrier, String what, @Nullable String actor,
            Throwable failure) {
        try {
            EventLog.carrierFailed(carrier.getName(), what, actor, failure);
        } catch (Throwable suppressed) {
            LastResort.report(failure, suppressed);
        }
    }

    /** Logs that the context of a carrier does not cross to other nodes. */
    public static void carrierDoesNotTravel(Class<?> carrier) {
        try {
            EventLog.carrierDoesNotTravel(carrier.getName());
        } catch (Throwable failure) {
            LastResort.report(failure);
        }
    }
}
