package io.fibry.requests;

import io.fibry.Reply;
import io.fibry.Request;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A protocol of the tests: what an actor that knows texts is asked. */
sealed interface Text<R extends @Nullable Object> extends Request<R> {
    /** Asks for the length. */
    record Length(String text) implements Text<Integer> {
    }

    /** Asks for the text in capitals; fails if there is none. */
    record Upper(String text) implements Text<String> {
    }

    /** Says only that it was handled. */
    record Note(AtomicInteger notes) implements Text<@Nullable Void> {
    }

    /** Is answered by the reply to another request, by none, or by nothing at all. */
    record Wrong(Kind kind, AtomicReference<Length> seen) implements Text<Integer> {
        enum Kind {
            OTHER, EQUAL, NONE, NULL
        }

        static Wrong of(Kind kind) {
            return new Wrong(kind, new AtomicReference<>(new Length("seen before")));
        }
    }

    /** What all actors of the tests do with a request. */
    static @Nullable Reply handle(Text<?> request) {
        return switch (request) {
            case Length length -> length.reply(length.text().length());
            case Upper upper -> {
                if (upper.text().isEmpty()) {
                    throw new IllegalArgumentException("no text");
                }
                yield upper.reply(upper.text().toUpperCase(java.util.Locale.ROOT));
            }
            case Note note -> {
                note.notes().incrementAndGet();
                yield note.reply(null);
            }
            case Wrong wrong -> switch (wrong.kind()) {
                case OTHER -> wrong.seen().get().reply(3);
                case EQUAL -> new Wrong(wrong.kind(), wrong.seen()).reply(3);
                case NONE -> Reply.none();
                case NULL -> null;
            };
        };
    }
}
