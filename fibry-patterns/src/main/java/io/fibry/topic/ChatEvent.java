package io.fibry.topic;

import java.util.List;
import java.util.Objects;

/**
 * What the members of a {@link ChatRoom} are told. All members get the events in one order. Objects are immutable, apart from the
 * messages.
 *
 * @param <T> type of what members say
 */
public sealed interface ChatEvent<T> {
    /**
     * The first event of each member.
     *
     * @param <T> type of what members say
     * @param history what was said last, oldest first
     */
    record Welcome<T>(List<Said<T>> history) implements ChatEvent<T> {
        /**
         * Makes an event.
         *
         * @param history not null
         */
        public Welcome {
            history = List.copyOf(history);
        }
    }

    /**
     * A member has joined. The member itself is told, too.
     *
     * @param <T> type of what members say
     * @param member the name of the member
     * @param here the names of all members, in the order in which they have joined
     */
    record Joined<T>(String member, List<String> here) implements ChatEvent<T> {
        /**
         * Makes an event.
         *
         * @param member not null
         * @param here not null
         */
        public Joined {
            Objects.requireNonNull(member, "member");
            here = List.copyOf(here);
        }
    }

    /**
     * A member has sent a text. The member itself receives it, too.
     *
     * @param <T> type of what members say
     * @param number how many messages were said in the room before, plus one
     * @param member the name of the member
     * @param message what it has said
     */
    record Said<T>(long number, String member, T message) implements ChatEvent<T> {
        /**
         * Makes an event.
         *
         * @param number the number
         * @param member not null
         * @param message not null
         */
        public Said {
            Objects.requireNonNull(member, "member");
            Objects.requireNonNull(message, "message");
        }
    }

    /**
     * A member has left. The member itself is not told.
     *
     * @param <T> type of what members say
     * @param member the name of the member
     * @param why why it has left
     * @param here the names of the members that are left, in the order in which they have joined
     */
    record Left<T>(String member, Departure why, List<String> here) implements ChatEvent<T> {
        /**
         * Makes an event.
         *
         * @param member not null
         * @param why not null
         * @param here not null
         */
        public Left {
            Objects.requireNonNull(member, "member");
            Objects.requireNonNull(why, "why");
            here = List.copyOf(here);
        }
    }

    /** Why a member has left a room. */
    enum Departure {
        /** It has called {@link ChatMember#leave()}. */
        LEFT,
        /** More events were waiting for it than may. */
        TOO_SLOW,
        /** Its actor has stopped, because of its failure policy or of the end of the room. */
        ENDED
    }
}
