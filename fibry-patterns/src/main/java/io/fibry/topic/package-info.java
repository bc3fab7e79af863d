/**
 * Topics, to which programs publish and subscribe, and values that can be observed.
 *
 * <pre>{@code
 * record Price(String stock, double amount) {
 * }
 *
 * try (var scope = ActorSystem.open("exchange")) {
 *     Topics<Price> prices = Topics.open(scope, "prices", TopicOptions.defaults().keepingLast());
 *     prices.topic("market.tea").subscribe(price -> System.out.println(price));
 *     prices.subscribe("market.*", (topic, price) -> System.out.println(topic + ": " + price.amount()));
 *     prices.publish("market.tea", new Price("tea", 3.5));
 *     prices.close();
 * }
 * }</pre>
 *
 * <p>{@link io.fibry.topic.Topics} is a set of topics with names, and a {@link io.fibry.topic.Topic} is one of them. An
 * {@link io.fibry.topic.ObservableValue} has a state and tells what changes in it.
 */
@NullMarked
package io.fibry.topic;

import io.fibry.ActorSystem;
import org.jspecify.annotations.NullMarked;
