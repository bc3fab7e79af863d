package io.fibry.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.Promise;
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
}
