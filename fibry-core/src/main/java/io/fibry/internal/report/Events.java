package io.fibry.internal.report;

import io.fibry.event.ActorEvent;
import io.fibry.event.ActorListener;
import io.fibry.time.Cancellable;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Carries what happens in a scope to its listeners and those of the scopes around it, or else to the log. */
public final class Events {
    /** Set while a listener runs on this thread: what it causes is not told to listeners again. */
    private static final ThreadLocal<Boolean> LISTENING = new ThreadLocal<>();

    private final @Nullable Events around;
    private final EventLog log;
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();

    /** An object of its own, so that one listener added twice is two. */
    private static final class Subscription {
        final ActorListener listener;

        Subscription(ActorListener listener) {
            this.listener = listener;
        }
    }

    public Events(@Nullable Events around, EventLog log) {
        this.around = around;
        this.log = log;
    }

    public Cancellable listen(ActorListener listener) {
        var mine = new Subscription(listener);
        subscriptions.add(mine);
        return () -> subscriptions.remove(mine);
    }

    /** Reports something that its owner wants to know. Throws nothing, whatever listeners and loggers do. */
    public void report(ActorEvent event) {
        try {
            if (LISTENING.get() != null || !tell(event)) {
                log.log(event);
            }
        } catch (Throwable failure) {
            lastResort(failure);
        }
    }

    /** Reports what only listeners want to know. Throws nothing, whatever they do. */
    public void lifecycle(ActorEvent event) {
        try {
            if (LISTENING.get() == null) {
                tell(event);
            }
        } catch (Throwable failure) {
            lastResort(failure);
        }
    }

    /** Whether a listener runs on this thread. */
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

    private boolean tell(ActorEvent event) {
        var heard = false;
        for (var events = this; events != null; events = events.around) {
            for (var subscription : events.subscriptions) {
                heard = true;
                tell(subscription.listener, event);
            }
        }
        return heard;
    }

    private void tell(ActorListener listener, ActorEvent event) {
        LISTENING.set(true);
        try {
            listener.on(event);
        } catch (Throwable failure) {
            log.listenerFailed(event, failure);
        } finally {
            LISTENING.remove();
        }
    }

    /** Something in the engine threw while it handled a message. Nothing more can be done than to say so. */
    public void engineFailure(String actor, Throwable failure) {
        try {
            log.engineFailed(actor, failure);
        } catch (Throwable again) {
            failure.addSuppressed(again);
            lastResort(failure);
        }
    }

    /** A carrier of context threw. It belongs to no actor, and is told once only. */
    public static void carrierFailed(Class<?> carrier, String what, @Nullable String actor,
            Throwable failure) {
        try {
            EventLog.carrierFailed(carrier.getName(), what, actor, failure);
        } catch (Throwable again) {
            failure.addSuppressed(again);
            lastResort(failure);
        }
    }

    /** The logger itself fails: what threads do with what nobody catches is all that is left. */
    private static void lastResort(Throwable failure) {
        var thread = Thread.currentThread();
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
        } catch (Throwable again) {
            failure.addSuppressed(again); // there is nobody left to tell
        }
    }
}
