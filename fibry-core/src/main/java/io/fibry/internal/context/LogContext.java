package io.fibry.internal.context;

import io.fibry.internal.run.Job;
import io.fibry.internal.run.Runner;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.slf4j.helpers.NOPMDCAdapter;

/**
 * The diagnostic context of the log belongs to a thread; threads run many actors. An actor's turn starts with
 * an empty one, or with its own name if its scope says so, and who ran on the thread before finds its own again.
 */
public final class LogContext {
    private static final String ACTOR = "actor";
    private static final boolean PRESENT = !(MDC.getMDCAdapter() instanceof NOPMDCAdapter);

    private LogContext() {
    }

    public static @Nullable Map<String, String> putAside() {
        if (!PRESENT) {
            return null;
        }
        var context = MDC.getCopyOfContextMap();
        if (context != null) {
            MDC.clear();
        }
        return context;
    }

    /** Tells whether actors that want that have their names in it. */
    public static boolean names(boolean wanted) {
        return PRESENT && wanted;
    }

    /** Puts the name of the owner of a job, which runs on this thread from here on, into the context if that is wanted. */
    public static void begin(Job job) {
        var actor = PRESENT ? job.nameForLog() : null;
        if (actor != null) {
            name(actor);
        }
    }

    /** The context of a sender was put in the place of what there was, which may have been the name. */
    static void restoreName() {
        if (PRESENT) {
            var job = Runner.currentJob();
            if (job != null) {
                begin(job);
            }
        }
    }

    public static void name(String actor) {
        MDC.put(ACTOR, actor);
    }

    /** What belongs to a piece of work that is over. */
    public static void endPiece() {
        restore(null);
        restoreName();
    }

    public static void restore(@Nullable Map<String, String> context) {
        if (!PRESENT) {
            return;
        }
        if (context != null) {
            MDC.setContextMap(context);
        } else if (MDC.getCopyOfContextMap() != null) {
            MDC.clear();
        }
    }
}
