package io.fibry.cluster;

import io.fibry.MailboxFullException;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.handle.Unanswered;
import io.fibry.message.MessageFate;
import io.fibry.topic.Publication;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/** What comes back for a letter. */
sealed interface AnswerBody {
    /** How much of a text crosses: of a message, and of a stack trace. */
    int LONGEST_TEXT = 4000;

    /** A value, and the number of its type in the group. */
    record Value(byte root, byte[] content) implements AnswerBody {
    }

    /** The handler has returned, with no value. */
    record Nothing() implements AnswerBody {
    }

    /** The handler has thrown. */
    record Failure(String className, String message, String trace) implements AnswerBody {
        RemoteException exception() {
            return new RemoteException(className, message, trace);
        }
    }

    /** No handler has seen it. */
    record NotHandled(String cause, String message) implements AnswerBody {
        Cause why() {
            for (var known : Cause.values()) {
                if (known.name().equals(cause)) {
                    return known;
                }
            }
            return Cause.STOPPED_BEFORE_TURN;
        }
    }

    /** Its time was over. */
    record Expired() implements AnswerBody {
    }

    /** What has become of a message at the subscribers of a node, by their names. */
    record Fates(Map<String, AnswerBody> bodies) implements AnswerBody {
        Map<String, MessageFate> fates() {
            var fates = new LinkedHashMap<String, MessageFate>();
            bodies.forEach((name, body) -> fates.put(name, body.fate()));
            return fates;
        }
    }

    default MessageFate fate() {
        return switch (this) {
            case Value value -> new MessageFate.Handled();
            case Nothing nothing -> new MessageFate.Handled();
            case Failure failure -> new MessageFate.Failed(failure.exception());
            case NotHandled not ->
                new MessageFate.Undelivered(not.why(), new NotHandledException(not.message()));
            case Expired expired -> new MessageFate.Expired();
            case Fates many ->
                throw new IllegalStateException("a message of a group has the fates of a publication");
        };
    }

    static Fates fates(Publication publication) {
        var bodies = new LinkedHashMap<String, AnswerBody>();
        publication.fates().forEach((name, fate) -> bodies.put(name, withoutTrace(LetterReader.body(fate))));
        return new Fates(bodies);
    }

    /** Of many subscribers that have failed, the traces would be too much for an answer. */
    private static AnswerBody withoutTrace(AnswerBody body) {
        return body instanceof Failure failure ? new Failure(failure.className, failure.message, "") : body;
    }

    /** Returns a failure as text. */
    static Failure failure(Throwable failure) {
        var thrown = Objects.requireNonNullElse(Unanswered.reasonOf(failure), failure);
        return new Failure(thrown.getClass().getName(),
                textOf(() -> String.valueOf(thrown.getMessage())),
                textOf(() -> {
                    var trace = new StringWriter();
                    thrown.printStackTrace(new PrintWriter(trace));
                    return trace.toString();
                }));
    }

    /** The text of an exception is the program's, and may itself fail. */
    private static String textOf(Supplier<String> text) {
        try {
            return some(text.get());
        } catch (Throwable broken) {
            return "no text, since it has thrown " + broken.getClass().getName();
        }
    }

    /** Returns a failure that was put into words before. */
    static Failure told(RemoteException failure) {
        return new Failure(failure.className(), failure.text(), failure.trace());
    }

    /** Returns the reason why no handler has seen a message of an ask. */
    static NotHandled notHandled(Throwable why) {
        var cause = why instanceof MailboxFullException ? Cause.FULL : Cause.STOPPED_BEFORE_TURN;
        return new NotHandled(cause.name(), String.valueOf(why.getMessage()));
    }

    static String some(String text) {
        return text.length() > LONGEST_TEXT ? text.substring(0, LONGEST_TEXT) : text;
    }

    default byte[] bytes() {
        var bytes = new ByteArrayOutputStream();
        try {
            write(new DataOutputStream(bytes));
        } catch (IOException never) {
            throw new UncheckedIOException(never);
        }
        return bytes.toByteArray();
    }

    private void write(DataOutputStream out) throws IOException {
        switch (this) {
            case Value value -> {
                out.writeByte(0);
                out.writeByte(value.root);
                out.write(value.content);
            }
            case Nothing nothing -> out.writeByte(1);
            case Failure failure -> {
                out.writeByte(2);
                out.writeUTF(failure.className);
                out.writeUTF(failure.message);
                out.writeUTF(failure.trace);
            }
            case NotHandled not -> {
                out.writeByte(3);
                out.writeUTF(not.cause);
                out.writeUTF(some(not.message));
            }
            case Expired expired -> out.writeByte(4);
            case Fates fates -> {
                out.writeByte(5);
                out.writeInt(fates.bodies.size());
                for (var body : fates.bodies.entrySet()) {
                    out.writeUTF(some(body.getKey()));
                    body.getValue().write(out);
                }
            }
        }
    }

    static AnswerBody of(byte[] bytes) {
        try {
            return read(new DataInputStream(new ByteArrayInputStream(bytes)));
        } catch (IOException tooShort) {
            throw new ClusterException("an answer of " + bytes.length + " bytes is cut off", tooShort);
        }
    }

    private static AnswerBody read(DataInputStream in) throws IOException {
        var kind = in.readByte();
        return switch (kind) {
            // Not by readAllBytes, which takes 16 KB for the shortest answer.
            case 0 -> new Value(in.readByte(), in.readNBytes(in.available()));
            case 1 -> new Nothing();
            case 2 -> new Failure(in.readUTF(), in.readUTF(), in.readUTF());
            case 3 -> new NotHandled(in.readUTF(), in.readUTF());
            case 4 -> new Expired();
            case 5 -> {
                var bodies = new LinkedHashMap<String, AnswerBody>();
                for (var left = in.readInt(); left > 0; left--) {
                    bodies.put(in.readUTF(), read(in));
                }
                yield new Fates(bodies);
            }
            default -> throw new ClusterException("an answer has the unknown kind " + kind
                    + ": update the older of both nodes");
        };
    }
}
