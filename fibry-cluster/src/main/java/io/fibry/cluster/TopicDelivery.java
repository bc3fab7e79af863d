package io.fibry.cluster;

import io.fibry.MailboxFullException;
import io.fibry.cluster.LetterBody.Want;
import io.fibry.cluster.home.HomeDelivery;
import io.fibry.cluster.stream.Verdict;
import io.fibry.topic.Publication;
import io.fibry.topic.Topic;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publishes what other nodes have published to the subscribers of this node. */
final class TopicDelivery<M> implements HostedHere.Delivery {
    private static final Logger LOGGER = LoggerFactory.getLogger(TopicDelivery.class);

    private final LetterReader<M, Void> letters;
    private final DeliveredAsks asks;
    private final Topic<M> topic;

    TopicDelivery(GroupCodec<?, M, Void> codec, LetterContext context, DeliveredAsks asks, Topic<M> topic) {
        letters = new LetterReader<>(codec, context, asks);
        this.asks = asks;
        this.topic = topic;
    }

    @Override
    public void deliver(HomeDelivery delivery) {
        letters.readOrRefuse(delivery).ifPresent(letter -> deliver(delivery, letter));
    }

    private void deliver(HomeDelivery delivery, LetterReader.Read<M> letter) {
        letters.around(letter, () -> {
            if (letter.want() == Want.TELL) {
                publish(letter.message());
                asks.settle(delivery, Verdict.TAKEN);
            } else {
                asks.take(delivery, asks::group, asks.now(), topic.publishTracked(letter.message()),
                        publication -> AnswerBody.fates((Publication) Objects.requireNonNull(publication)));
            }
        });
    }

    private void publish(M message) {
        try {
            var unused = topic.publish(message);
        } catch (MailboxFullException full) { // all other subscribers have it
            LOGGER.debug("A subscriber of the topic '{}' did not take a message of another node",
                    topic.name(),
                    full);
        }
    }
}
