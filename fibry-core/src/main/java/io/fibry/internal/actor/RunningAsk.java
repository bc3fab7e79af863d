package io.fibry.internal.actor;

import org.jspecify.annotations.Nullable;

/**
 * An ask that a handler works on, where that may be interrupted for it. One that was taken by {@code receive}, or code
 * that ran there, is worked on inside the handler of another one, which may then be interrupted for either. Immutable:
 * the turn writes another one, interrupters read it.
 *
 * @param answer what is worked on
 * @param around inside of which, if there is one
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

    /** The others. What was begun last need not end first: a taken ask ends when the handler moves on. */
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

    /** Whether somebody waits no more for one of them. */
    static boolean isAnyOver(@Nullable RunningAsk innermost) {
        for (var each = innermost; each != null; each = each.around) {
            if (each.answer.isOver()) {
                return true;
            }
        }
        return false;
    }
}
