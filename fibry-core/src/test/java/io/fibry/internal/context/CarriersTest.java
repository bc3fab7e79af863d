package io.fibry.internal.context;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.ContextCarrier;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.MessageWithAttachment;
import io.fibry.internal.scope.Builder;
import io.fibry.testing.Promise;
import org.junit.jupiter.api.Test;

class CarriersTest {
    private static Class<?> kindOfNode(ActorScope scope) {
        return MessageNode.to(((Builder) scope.anonymous()).spec(), "a message").getClass();
    }

    @Promise("23.6")
    @Test
    void whereNothingIsCarriedAMessageIsNoOther() {
        try (var scope = ActorSystem.open("plain");
                var carrying = scope.child("carrying").carry(ContextCarrier.mdc()).open();
                var beside = scope.child("beside").open()) {
            assertThat(kindOfNode(scope)).isEqualTo(MessageNode.class);
            assertThat(kindOfNode(carrying)).isEqualTo(MessageWithAttachment.class);
            assertThat(kindOfNode(beside)).isEqualTo(MessageNode.class);
        }
    }
}
