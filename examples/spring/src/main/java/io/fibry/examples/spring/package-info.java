/** A Spring Boot application on actors. */
package io.fibry.examples.spring;
