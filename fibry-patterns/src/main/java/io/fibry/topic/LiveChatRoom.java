package io.fibry.topic;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.Counters;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.StopReport;
import io.fibry.event.Undelivered;
import io.fibry.function.Handler;
import io.fibry.message.Envelope;
import io.fibry.topic.ChatEvent.Departure;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * An actor that knows the members, and an actor for each member, its outbox. The mailbox of an outbox is bounded and never makes the
 * room wait. The mailbox of the room is not bounded, so that it always gets to know of a member that leaves; a member looks at its
 * length before it sends a message.
 */
final class LiveChatRoom<T> implements ChatRoom<T> {
    /** What the room is told. Reports show the member, and the class of what it says. */
    private sealed interface Signal<T> extends Envelope {
        Member<T> who();

        @Override
        default Object content() {
            return who().name;
        }

        @Override
        default Optional<String> about() {
            return Optional.of(who().toString());
        }

        /** When the room has ended, nothing is lost with a member that joins or leaves. */
        @Override
        default boolean isLossReported(Undelivered.Cause cause) {
            return !SourceSignal.isOfAnEnd(cause);
        }
    }

    private record Join<T>(Member<T> who) implements Signal<T> {
    }

    private record Say<T>(Member<T> who, T content) implements Signal<T> {
        @Override
        public boolean isLossReported(Undelivered.Cause cause) {
            return true;
        }
    }

    private record Leave<T>(Member<T> who, Departure why) implements Signal<T> {
    }

    private final ChatRoomOptions options;
    private final ActorScope crew;
    private final Actor<Signal<T>, Void> room;
    private final AtomicInteger outboxes = new AtomicInteger();
    private final AtomicLong joined = new AtomicLong();
    // Used by the actor of the room alone.
    private final Set<Member<T>> present = new LinkedHashSet<>();
    private final Deque<ChatEvent.Said<T>> history = new ArrayDeque<>();
    private long said;
    /** Written by the actor of the room. A list that is never changed. */
    private volatile List<String> here = List.of();

    private LiveChatRoom(ActorScope crew, ChatRoomOptions options) {
        this.options = options;
        this.crew = crew;
        room = crew.named(crew.name()).mailbox(MailboxPolicy.unbounded()).onFailure(FailurePolicy.resume())
                .newActor(this::handle);
    }

    static <T> LiveChatRoom<T> open(ActorScope scope, String name, ChatRoomOptions options) {
        Objects.requireNonNull(scope, "scope");
        Objects.requireNonNull(options, "options");
        return new LiveChatRoom<>(
                scope.child(Objects.requireNonNull(name, "name")).withoutInterceptors().open(), options);
    }

    // ---- The members. ----

    @Override
    public ChatMember<T> join(String member, Handler<? super ChatEvent<T>> handler) {
        Objects.requireNonNull(handler, "handler");
        if (Objects.requireNonNull(member, "member").isBlank()) {
            throw new IllegalArgumentException("the name of a member must not be blank: '" + member + "'");
        }
        if (outboxes.incrementAndGet() > options.members()) {
            outboxes.decrementAndGet();
            throw new IllegalStateException("the room '" + name() + "' has as many members as it may, "
                    + options.members() + ": try again later, or allow more by ChatRoomOptions");
        }
        Member<T> joining;
        try {
            joining = new Member<>(this, member, handler);
        } catch (RuntimeException | Error notMade) {
            outboxes.decrementAndGet();
            if (room.state() == ActorState.STOPPED) {
                throw ended(notMade);
            }
            throw notMade;
        }
        joining.follow();
        if (!room.sendMessage(new Join<>(joining))) {
            joining.outbox.askExit();
            throw ended(null);
        }
        return joining;
    }

    private IllegalStateException ended(@Nullable Throwable cause) {
        return new IllegalStateException("the room '" + name() + "' has ended: open another one", cause);
    }

    /** Returns the name by which reports show a member: members may have the same name. */
    private String outboxName(String member) {
        return crew.name() + "/" + member + "-" + joined.incrementAndGet();
    }

    private void send(Signal<T> signal) {
        var state = room.state();
        if (state != ActorState.STOPPING && state != ActorState.STOPPED) {
            room.sendMessage(signal);
        }
    }

    /** A member and its outbox. */
    private static final class Member<T> implements ChatMember<T> {
        private final LiveChatRoom<T> room;
        private final String name;
        private final Actor<ChatEvent<T>, Void> outbox;
        private final CompletableFuture<Departure> left = new CompletableFuture<>();

        Member(LiveChatRoom<T> room, String name, Handler<? super ChatEvent<T>> handler) {
            this.room = room;
            this.name = name;
            var policy = room.options.keepsSlow() ? OverflowPolicy.dropOldest() : OverflowPolicy.reject();
            outbox = room.options.actors().apply(room.crew.named(room.outboxName(name)))
                    .mailbox(MailboxPolicy.bounded(room.options.outbox(), policy)).stopPhase(1)
                    .newActor((ChatEvent<T> event) -> {
                        if (!left.isDone()) {
                            handler.handle(event);
                        }
                    });
        }

        void follow() {
            var unused = outbox.onStopped().thenRun(() -> {
                room.outboxes.decrementAndGet();
                end(Departure.ENDED);
            });
        }

        private boolean end(Departure why) {
            if (!left.complete(why)) {
                return false;
            }
            room.send(new Leave<>(this, why));
            return true;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public boolean say(T message) {
            Objects.requireNonNull(message, "message");
            return !left.isDone() && room.room.mailboxSize() < room.options.waiting()
                    && room.room.sendMessage(new Say<>(this, message));
        }

        @Override
        public void leave() {
            end(Departure.LEFT);
        }

        @Override
        public CompletableFuture<Departure> onLeft() {
            return left.copy();
        }

        @Override
        public Counters counters() {
            return outbox.counters();
        }

        @Override
        public String toString() {
            return "ChatMember[" + name + " of " + room.name() + "]";
        }
    }

    // ---- The room. ----

    private void handle(Signal<T> signal) {
        switch (signal) {
            case Join<T>(var who) when !who.left.isDone() -> {
                present.add(who);
                changed();
                if (tell(who, new ChatEvent.Welcome<>(List.copyOf(history)))) {
                    tellAll(new ChatEvent.Joined<>(who.name, here));
                }
            }
            case Say<T>(var who, var message) when present.contains(who) -> {
                var event = new ChatEvent.Said<>(++said, who.name, message);
                history.add(event);
                if (history.size() > options.history()) {
                    history.remove();
                }
                tellAll(event);
            }
            case Join<T> late -> {
            }
            case Say<T> late -> {
            } // the member has left
            case Leave<T>(var who, var why) -> {
                who.outbox.sendPoisonPill(); // what waits there is skipped
                if (present.remove(who)) {
                    changed();
                    tellAll(new ChatEvent.Left<>(who.name, why, here));
                }
            }
        }
    }

    private void changed() {
        here = present.stream().map(Member::name).toList();
    }

    /** Tells all members, also if a limit of the scope refuses the event for one of them by an exception. */
    private void tellAll(ChatEvent<T> event) {
        RuntimeException first = null;
        for (var member : present) {
            try {
                tell(member, event);
            } catch (RuntimeException refused) {
                first = first == null ? refused : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** Tells one member. If its outbox is full, it leaves, of which the others are told next. */
    private boolean tell(Member<T> member, ChatEvent<T> event) {
        if (member.left.isDone() || member.outbox.sendMessage(event)) {
            return true;
        }
        member.end(isOpen(member.outbox) ? Departure.TOO_SLOW : Departure.ENDED);
        return false;
    }

    private static boolean isOpen(Actor<?, ?> outbox) {
        return outbox.state() == ActorState.IDLE || outbox.state() == ActorState.BUSY;
    }

    @Override
    public List<String> members() {
        return here;
    }

    @Override
    public String name() {
        return crew.name();
    }

    @Override
    public Counters counters() {
        return room.counters();
    }

    @Override
    public StopReport stop(Duration deadline) {
        return crew.stop(deadline);
    }

    @Override
    public CompletableFuture<StopReport> onStopped() {
        return crew.onStopped();
    }

    @Override
    public void close() {
        crew.close();
    }

    @Override
    public String toString() {
        return "ChatRoom[" + name() + ", members: " + here.size() + "]";
    }
}
