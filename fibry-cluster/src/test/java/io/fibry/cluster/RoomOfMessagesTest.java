package io.fibry.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.LetterBody.Want;
import io.fibry.cluster.home.Letter;
import io.fibry.testing.Promise;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a sender is told that waits for room. One that is told to try again takes it, if no other sender is quicker. */
class RoomOfMessagesTest {
    @Promise("82.3")
    @Test
    void aSenderTriesAgainWhenItsMessageFits() {
        var room = new Room();
        assertThat(room.mayTake(5_000, 1_000)).as("however large it is, if nothing is underway").isTrue();
        assertThat(room.take(400, 1_000)).isTrue();
        for (int size = 1; size < 2_000; size++) {
            var mayTake = room.mayTake(size, 1_000);
            assertThat(mayTake).as("%s bytes", size).isEqualTo(size <= 600);
            assertThat(room.take(size, 1_000)).isEqualTo(mayTake);
            if (mayTake) {
                room.giveBack(size);
            }
        }
        assertThat(room.take(200, 1_000)).isTrue();
        assertThat(room.mayTake(1, 1_000)).as("it waits for half of the room").isFalse();
    }

    @Test
    void theRoomOfANodeThatIsGoneIsForgotten() {
        var rooms = new GroupRooms(0);
        var node = new UUID(1, 1);
        var outgoing = new Outgoing(null, "text", new LetterBody(Want.TELL, new byte[0], new byte[0]),
                Letter.NO_SLICE, Optional.empty());
        outgoing.to = node;
        var room = rooms.of(outgoing);
        rooms.keep(Set.of(node));
        assertThat(rooms.of(outgoing)).isSameAs(room);
        rooms.keep(Set.of());
        assertThat(rooms.of(outgoing)).isNotSameAs(room);
    }
}
