package io.fibry.internal.actor;

import org.jspecify.annotations.Nullable;

/**
 * An ask that a handler works on, and for which the handler may be interrupted. An ask that was taken by
 * {@code receive}, or code that ran there, is worked on inside the handler of another ask; that handler may
 * then be interrupted for either. Immutable: the turn replaces it, interrupters read it.
 *
 * @param answer the answer that is worked on
 * @param around the ask whose handler works on this one; null if there is none
 */
public record RunningAsk(Answer<?> answer, @Nullable RunningAsk around) {
    static boolean has(@Nullable RunningAsk innermost, Answer<?> answer) {
        for (var each = innermost; each != null; each = each.around) {
            if (each.answer == answer) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the asks without this one. The ask that was begun last need not end first: a received ask ends
     * when the handler moves on.
     */
    static @Nullable RunningAsk without(@Nullable RunningAsk innermost, Answer<?> answer) {
        if (innermost == null) {
            return null;
        }
        var others = without(innermost.around, answer);
        if (innermost.answer == answer) {
            return others;
        }
        return others == innermost.around ? innermost : new RunningAsk(innermost.answer, others);
    }

    /** Returns whether one of the asks is over. */
    static boolean isAnyOver(@Nullable RunningAsk innermost) {
        for (var each = innermost; each != null; each = each.around) {
            if (each.answer.isOver()) {
                return true;
            }
        }
        return false;
    }
}
