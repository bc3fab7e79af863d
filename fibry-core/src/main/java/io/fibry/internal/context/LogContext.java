package io.fibry.internal.context;

import io.fibry.internal.run.Job;
import io.fibry.internal.run.Runner;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.slf4j.helpers.NOPMDCAdapter;

/**
 * The diagnostic context of the log, which belongs to a thread, while a thread runs many owners. A job starts with an
 * empty context, or with the name of its owner if the scope is configured so. When the job ends, the context that the
 * thread had before is restored.
 */
public final class LogContext {
    private static final String ACTOR = "actor";
    /** Whether the log has a diagnostic context. If it has none, the methods do nothing. */
    public static final boolean IS_PRESENT = !(MDC.getMDCAdapter() instanceof NOPMDCAdapter);

    private LogContext() {
    }

    public static @Nullable Map<String, String> putAside() {
        if (!IS_PRESENT) {
            return null;
        }
        var context = MDC.getCopyOfContextMap();
        if (context != null) {
            MDC.clear();
        }
        return context;
    }

    /** Tells whether the names of actors are put into the context, if this is wanted. */
    public static boolean names(boolean wanted) {
        return IS_PRESENT && wanted;
    }

    /**
     * Puts the name of the owner of a job, which runs on this thread from here on, into the context if it is to be
     * there.
     */
    public static void begin(Job job) {
        var actor = IS_PRESENT ? job.nameForLog() : null;
        if (actor != null) {
            name(actor);
        }
    }

    /** Puts the name of the owner back, after the context of a sender has replaced what was there. */
    static void restoreName() {
        if (IS_PRESENT) {
            var job = Runner.currentJob();
            if (job != null) {
                begin(job);
            }
        }
    }

    public static void name(String actor) {
        MDC.put(ACTOR, actor);
    }

    /** Removes what belongs to a piece of work that has ended. */
    public static void endPiece() {
        restore(null);
        restoreName();
    }

    public static void restore(@Nullable Map<String, String> context) {
        if (!IS_PRESENT) {
            return;
        }
        if (context != null) {
            MDC.setContextMap(context);
        } else if (MDC.getCopyOfContextMap() != null) {
            MDC.clear();
        }
    }
}
