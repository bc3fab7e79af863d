package io.fibry.inside;

import io.fibry.event.ActorEvent;
import io.fibry.event.CarriersStarved;
import io.fibry.event.Escalated;
import io.fibry.event.Expired;
import io.fibry.event.Failed;
import io.fibry.event.HighWater;
import io.fibry.event.Lagging;
import io.fibry.event.Restarted;
import io.fibry.event.Started;
import io.fibry.event.Stopped;
import io.fibry.event.Stuck;
import io.fibry.event.Undelivered;
import io.fibry.message.Envelope;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * An event as the page shows it.
 *
 * @param kind one word
 * @param actor the name of the actor
 * @param text what has happened; of messages it has the class alone
 */
record EventLine(String kind, String actor, String text) {
    private static final int LONGEST = 300;

    static EventLine of(ActorEvent event) {
        return new EventLine(kind(event), cut(event.actor()), cut(text(event)));
    }

    private static String kind(ActorEvent event) {
        return switch (event) {
            case Started e -> "started";
            case Stopped e -> "stopped";
            case Failed e -> "failed";
            case Restarted e -> "restarted";
            case Escalated e -> "escalated";
            case Undelivered e -> "lost";
            case Expired e -> "expired";
            case HighWater e -> e.capacity().isPresent() ? "full" : "growing";
            case Stuck e -> "stuck";
            case Lagging e -> "lagging";
            case CarriersStarved e -> "starved";
        };
    }

    private static String text(ActorEvent event) {
        return switch (event) {
            case Started e -> "";
            case Stopped e -> words(e.reason());
            case Failed e -> e.message().map(type -> "on " + ClassNames.shortened(type.getName()) + ": ")
                    .orElse("in its " + words(e.part()) + ": ") + cause(e.cause());
            case Restarted e -> "for the " + ordinal(e.restarts()) + " time after " + cause(e.cause());
            case Escalated e -> e.parent().map(parent -> "to " + parent + ": ").orElse("")
                    + cause(e.cause());
            case Undelivered e -> type(e.message()) + ": " + words(e.cause());
            case Expired e -> type(e.message()) + " waited longer than " + Times.text(e.timeToLive());
            case HighWater e -> e.capacity().isPresent()
                    ? e.depth() + " of " + e.capacity().getAsInt() + " places are taken"
                    : e.depth() + " messages wait, the first for at least "
                            + Times.text(e.headAge().orElse(Duration.ZERO));
            case Stuck e -> e.message().map(type -> "on " + ClassNames.shortened(type.getName()) + " ")
                    .orElse("") + "for " + Times.text(e.runningFor()) + place(e.stack());
            case Lagging e -> e.depth() + " messages wait, the first for " + Times.text(e.headAge());
            case CarriersStarved e -> "no virtual thread got to run for " + Times.text(e.waitedFor());
        };
    }

    /** Returns the class of a message, or of what it carries. Its code is the user's, and may throw. */
    private static String type(Object message) {
        var type = message.getClass();
        try {
            type = message instanceof Envelope envelope ? envelope.content().getClass() : type;
        } catch (Throwable unreadable) {
            // the class of the envelope is shown
        }
        return ClassNames.shortened(type.getName());
    }

    private static String place(List<StackTraceElement> stack) {
        var place = ClassNames.place(stack);
        return place.isEmpty() ? "" : " at " + place;
    }

    /** Returns the class and the message of what was thrown. Its code is the user's, and may throw. */
    static String cause(Throwable thrown) {
        var type = ClassNames.shortened(thrown.getClass().getName());
        try {
            var message = thrown.getMessage();
            return message == null ? type : type + ": " + message;
        } catch (Throwable unreadable) {
            return type;
        }
    }

    private static String ordinal(int number) {
        return number + switch (number / 10 % 10 == 1 ? 0 : number % 10) {
            case 1 -> "st";
            case 2 -> "nd";
            case 3 -> "rd";
            default -> "th";
        };
    }

    private static String words(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private static String cut(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + " …";
    }
}
