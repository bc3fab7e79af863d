package io.fibry.kotlin

import io.fibry.ActorSystem
import io.fibry.ActorScope
import io.fibry.ContextCarrier
import io.fibry.testing.EveryStrategy
import io.fibry.testing.Strategy
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.delay
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

@Timeout(120)
class ContextsTest {
    @EveryStrategy
    fun `an element keeps the context over suspensions and hands it to handlers`(strategy: Strategy) = awaiting {
        val user = ThreadLocal<String>()
        val tenant = ThreadLocal<String>()
        val users = ContextCarrier.of(user)
        val tenants = ContextCarrier.of(tenant)
        ActorSystem.configure("context").strategy(strategy.create()).carry(users).carry(tenants).open().use { scope ->
            val actor = scope.anonymous().actor { _: String -> "${user.get()} of ${tenant.get()}" }
            user.set("tom")
            tenant.set("acme")
            val element = users.asContextElement() + tenants.asContextElement()
            user.remove()
            tenant.remove()
            withContext(Dispatchers.Default + element) {
                repeat(20) {
                    assertThat(actor.awaitAnswer("who")).isEqualTo("tom of acme")
                    assertThat("${user.get()} of ${tenant.get()}").isEqualTo("tom of acme")
                    yield()
                }
                assertThat(async(Dispatchers.Fibers) { actor.awaitAnswer("who") }.await()).isEqualTo("tom of acme")
                delay(1)
            }
            assertThat(user.get()).isNull()
            assertThat(actor.awaitAnswer("who")).isEqualTo("null of null")
        }
    }

    @Test
    fun `a value of a block is refused`() {
        val carrier = ContextCarrier.scoped({ true }, { "acme" }, { _, code -> code.run() })
        assertThat(failure { carrier.asContextElement() }).isInstanceOf(IllegalArgumentException::class.java)
            .hasMessageContaining("bound to a block of code")
    }
}
